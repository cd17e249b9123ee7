"""What the tables of audits refuse, fill in, and find by an index."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.audits.models import (
    AuditRow,
    CaseSecondRow,
    ComparisonRow,
    CounterExampleRow,
    LabelQuestionRow,
    LabelRow,
    NeighbourRow,
    SourceMinhashRow,
)
from tests.hub_server.audits.judged import SUMS
from tests.making.action_driver import ActionDriver


def case(driver: ActionDriver, **more) -> CounterExampleRow:
    fields = {
        "id": "c1",
        "package_id": SUMS,
        "case_key": "k",
        "case": {},
        "state": "open",
        "submitted_by": "bob",
        "against": "1.0.0",
    }
    return CounterExampleRow(submitted_at=driver.clock.now(), verdicts={}, **{**fields, **more})


def question(driver: ActionDriver, **more) -> LabelQuestionRow:
    fields = {
        "id": "q1",
        "package_id": SUMS,
        "case_key": "k",
        "version": "1.0.0",
        "case": {},
        "verdicts": [],
        "bits": 1.0,
        "priority": 1.0,
    }
    return LabelQuestionRow(created_at=driver.clock.now(), state="open", **{**fields, **more})


def refused(driver: ActionDriver, *rows: object) -> None:
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add_all(rows)


@pytest.mark.parametrize("make", [case, question])
def test_a_response_to_a_task_is_there_once_in_a_package(hedging: ActionDriver, make) -> None:
    with hedging.writing() as work:
        work.session.add(make(hedging))
    refused(hedging, make(hedging, id="another"))
    with hedging.writing() as work:
        work.session.add(make(hedging, id="another", case_key="k2"))


def test_nothing_is_said_of_what_does_not_exist(hedging: ActionDriver) -> None:
    now = hedging.clock.now()
    refused(hedging, case(hedging, package_id="al/none"))
    refused(hedging, question(hedging, package_id="al/none"))
    refused(hedging, CaseSecondRow(case_id="none", account="bob", seconded_at=now))
    refused(hedging, LabelRow(id="l", question_id="none", labelled_by="bob", answer="correct", labelled_at=now))
    refused(hedging, AuditRow(id="a", package_id=SUMS, release_id="none", version="1", state="queued", created_at=now))
    refused(
        hedging, ComparisonRow(id="c", left_release_id="none", right_release_id="none", state="queued", created_at=now)
    )
    refused(hedging, SourceMinhashRow(release_id="none", minhash={}))
    neighbour = {
        "source_similarity": 1.0,
        "judged": 0,
        "agreed": 0,
        "behaves_alike": False,
        "suite_digest": "",
        "found_at": now,
    }
    refused(hedging, NeighbourRow(release_id="none", other_release_id="none", **neighbour))


def test_one_account_seconds_a_case_once(hedging: ActionDriver) -> None:
    now = hedging.clock.now()
    with hedging.writing() as work:
        work.session.add(case(hedging))
        work.session.flush()
        work.session.add_all(CaseSecondRow(case_id="c1", account=name, seconded_at=now) for name in ("bob", "carol"))
    refused(hedging, CaseSecondRow(case_id="c1", account="bob", seconded_at=now))


def test_a_fresh_case_counts_for_nothing_is_shown_and_was_disputed_by_nobody(hedging: ActionDriver) -> None:
    with hedging.writing() as work:
        work.session.add(case(hedging))
    columns = "counted_by, hidden_reason, dispute_reason, disputed_by, state_before_dispute, history, fixed_in"
    assert hedging.rows(f"SELECT {columns} FROM counter_examples") == [("", None, "", "", "", "[]", None)]


def test_a_label_is_added_and_never_changed_so_one_person_may_have_several(hedging: ActionDriver) -> None:
    now = hedging.clock.now()
    with hedging.writing() as work:
        work.session.add(question(hedging))
        work.session.flush()
        for number in range(2):
            work.session.add(
                LabelRow(id=f"l{number}", question_id="q1", labelled_by="bob", answer="correct", labelled_at=now)
            )
    assert len(hedging.rows("SELECT id FROM labels")) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM audits WHERE release_id = 'x' AND state = 'done' ORDER BY id DESC LIMIT 1",
        "SELECT * FROM audits WHERE package_id = 'x' ORDER BY id DESC LIMIT 20",
        "SELECT * FROM counter_examples WHERE package_id = 'x' AND case_key = 'y'",
        "SELECT * FROM counter_examples WHERE package_id = 'x' ORDER BY id DESC LIMIT 50",
        "SELECT * FROM counter_examples WHERE submitted_by = 'x'",
        "SELECT * FROM case_seconds WHERE case_id = 'x'",
        "SELECT * FROM case_seconds WHERE account = 'x'",
        "SELECT * FROM case_disputes WHERE account = 'x'",
        "SELECT * FROM label_questions WHERE package_id = 'x' AND case_key = 'y'",
        "SELECT * FROM label_questions WHERE state = 'open' ORDER BY priority DESC LIMIT 1",
        "SELECT * FROM labels WHERE question_id = 'x'",
        "SELECT * FROM comparisons WHERE left_release_id = 'x' AND right_release_id = 'y'",
        "SELECT * FROM neighbours WHERE release_id = 'x' OR other_release_id = 'x'",
    ],
)
def test_what_pages_and_audits_ask_is_found_by_an_index(driver: ActionDriver, statement: str) -> None:
    assert "SCAN" not in driver.plan_of(statement)

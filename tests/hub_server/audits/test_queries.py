"""Statements about audits: what hidden and refuted cases are left out of, which answer counts, what comes first."""

from datetime import timedelta

import pytest

from hub_server.audits import queries
from hub_server.audits.models import CaseSecondRow, LabelRow, NeighbourRow, SourceMinhashRow
from hub_server.journal import queries as journal
from hub_server.journal.models import SigningKeyRow
from tests.hub_server.audits.judged import ALICE, SUMS
from tests.hub_server.audits.test_models import case, question
from tests.making.desk import Desk

STATES = ("open", "confirmed", "refuted", "disputed", "fixed", "held")


@pytest.fixture
def filled(hedging: Desk) -> Desk:
    """A case of each state, and a hidden confirmed one."""
    rows = [case(hedging, id=f"{n}{state}", case_key=state, state=state) for n, state in enumerate(STATES)]
    rows.append(
        case(hedging, id="9hidden", case_key="h", state="confirmed", hidden_reason="a name", submitted_by="carol")
    )
    with hedging.writing() as work:
        work.session.add_all(rows)
    return hedging


def names(rows) -> list[str]:
    return [row.id for row in rows]


def test_a_suite_holds_all_but_what_was_refuted_or_hidden(filled: Desk) -> None:
    with filled.reading() as work:
        assert names(queries.cases_to_replay(work.session, SUMS)) == [
            "0open",
            "1confirmed",
            "3disputed",
            "4fixed",
            "5held",
        ]
        assert names(queries.open_cases(work.session, SUMS)) == ["0open"]
        assert queries.count_cases(work.session, SUMS) == dict.fromkeys(STATES, 1)


def test_hidden_cases_are_in_lists_for_those_who_may_see_them(filled: Desk) -> None:
    with filled.reading() as work:
        assert names(queries.page_of_cases(work.session, SUMS, None, None, 2)) == ["5held", "4fixed"]
        assert names(queries.page_of_cases(work.session, SUMS, None, None, 1, with_hidden=True)) == ["9hidden"]
        assert names(queries.page_of_cases(work.session, SUMS, "open", "1confirmed", 9)) == ["0open"]
        assert "9hidden" not in names(queries.newest_cases(work.session, 20))


def test_what_waits_is_counted_by_account_and_package(filled: Desk) -> None:
    with filled.reading() as work:
        assert queries.count_waiting_cases(work.session, SUMS, "bob") == 5, "refuted ones wait for nobody"
        assert queries.count_waiting_cases(work.session, SUMS, "carol") == 1, "a hidden one still costs a run"
        assert queries.count_waiting_cases(work.session, "al/x", "bob") == 0
        assert queries.count_cases_by(work.session, SUMS, "1.0.0", "bob") == 6
        assert queries.count_cases_by(work.session, SUMS, "1.0.1", "bob") == 0


def test_seconds_are_in_order_and_make_a_case_ones_own_too(filled: Desk) -> None:
    now = filled.clock.now()
    with filled.writing() as work:
        for seconds, (case_id, account) in enumerate((("1confirmed", "zoe"), ("1confirmed", "dan"), ("4fixed", "dan"))):
            work.session.add(
                CaseSecondRow(case_id=case_id, account=account, seconded_at=now + timedelta(seconds=seconds))
            )
    with filled.reading() as work:
        assert queries.seconders_of(work.session, "1confirmed") == ["zoe", "dan"]
        assert queries.seconders_by_case(work.session, ["1confirmed", "4fixed", "0open"]) == {
            "1confirmed": ["zoe", "dan"],
            "4fixed": ["dan"],
        }
        assert queries.seconders_by_case(work.session, []) == {}
        assert sorted(names(queries.cases_of_account(work.session, "dan"))) == ["1confirmed", "4fixed"]
        assert names(queries.cases_of_account(work.session, "carol")) == ["9hidden"]


def test_of_several_answers_of_one_person_the_latest_counts_even_at_the_same_moment(hedging: Desk) -> None:
    now = hedging.clock.now()
    with hedging.writing() as work:
        work.session.add(question(hedging))
        work.session.flush()
        for identifier, who, answer in (
            ("l1", "bob", "correct"),
            ("l2", "bob", "incorrect"),
            ("l0", "carol", "unsure"),
        ):
            work.session.add(LabelRow(id=identifier, question_id="q1", labelled_by=who, answer=answer, labelled_at=now))
    with hedging.reading() as work:
        assert queries.latest_answers(work.session, "q1") == {"bob": "incorrect", "carol": "unsure"}
        assert len(queries.labels_of_package(work.session, SUMS)) == 3
        assert queries.count_open_questions(work.session, SUMS, "bob") == 0
        assert queries.count_open_questions(work.session, SUMS, "dan") == 1
        assert queries.first_question(work.session, None, "dan", ["q1"]) is None
        assert queries.count_open_questions(work.session, "al/x", None) == 0


def test_questions_about_packages_that_are_not_listed_are_asked_of_nobody(hedging: Desk) -> None:
    with hedging.writing() as work:
        work.session.add(question(hedging))
    with hedging.writing() as work:
        work.session.connection().exec_driver_sql("UPDATE packages SET is_listed = 0")
    with hedging.reading() as work:
        assert queries.first_question(work.session, None, None, []) is None
        assert queries.page_of_questions(work.session, None, None, 9) == []
        assert queries.shown_releases(work.session) == []


def test_pages_of_questions_go_on_within_a_tie(hedging: Desk) -> None:
    with hedging.writing() as work:
        for number, priority in enumerate((0.5, 0.9, 0.5, 0.5)):
            work.session.add(question(hedging, id=f"q{number}", case_key=str(number), priority=priority))
    with hedging.reading() as work:
        first = queries.page_of_questions(work.session, SUMS, None, 2)
        rest = queries.page_of_questions(work.session, SUMS, [first[-1].priority, first[-1].id], 9)
    assert names([*first, *rest]) == ["q1", "q0", "q2", "q3"]


@pytest.mark.parametrize(
    ("add", "row"),
    [
        (
            journal.add_signing_key,
            lambda desk, rid: SigningKeyRow(id="k", public_key="p", first_used_at=desk.clock.now()),
        ),
        (queries.add_minhash, lambda desk, rid: SourceMinhashRow(release_id=rid, minhash={"minima": [1]})),
    ],
)
def test_of_two_who_write_the_same_at_once_one_does_and_both_go_on(hedging: Desk, add, row) -> None:
    ((release_id,),) = hedging.rows("SELECT id FROM releases")
    for _ in range(2):
        with hedging.writing() as work:
            work.session.add(case(hedging, id=f"c{hedging.clock.now().microsecond}", case_key=str(hedging.clock.now())))
            add(work.session, row(hedging, release_id))
    assert len(hedging.rows("SELECT id FROM counter_examples")) == 2, "what else the transaction did is kept"


def test_comparable_verifiers_come_by_agreement_without_duplicates_and_unjudged_ones(hedging: Desk) -> None:
    for name in ("alice/b", "alice/c", "alice/d", "alice/e"):
        hedging.publish(ALICE, name)
    found = dict(hedging.rows("SELECT package_id, id FROM releases"))
    with hedging.writing() as work:
        for name, agreed, judged, alike in (
            ("b", 5, 10, False),
            ("c", 9, 10, False),
            ("d", 10, 10, True),
            ("e", 0, 0, False),
        ):
            work.session.add(
                NeighbourRow(
                    release_id=found[SUMS], other_release_id=found[f"alice/{name}"], source_similarity=0.1, judged=judged, agreed=agreed,
                    behaves_alike=alike, suite_digest="", found_at=hedging.clock.now(),
                )
            )  # fmt: skip
    with hedging.reading() as work:
        assert [row.package_id for row in queries.comparable_releases(work.session, found[SUMS], 9)] == [
            "alice/c",
            "alice/b",
        ]
        assert [row.package_id for row in queries.comparable_releases(work.session, found[SUMS], 1)] == ["alice/c"]
        assert len(queries.neighbours_of(work.session, found[SUMS])) == 4
    hedging.do(None, lambda work: queries.forget_neighbours(work.session, found["alice/b"]))
    with hedging.reading() as work:
        assert len(queries.neighbours_of(work.session, found[SUMS])) == 3, "forgotten from either side"

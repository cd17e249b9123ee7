"""Counter-examples in the database: hidden and refuted ones are left out, what waits is counted."""

from datetime import timedelta

import pytest

from hub_server.audits.models import CaseSecondRow
from hub_server.audits.queries import cases as case_queries
from tests.hub_server.audits.judged import SUMS
from tests.hub_server.audits.test_models import case
from tests.making.action_driver import ActionDriver

STATES = ("open", "reproduced", "refuted", "disputed", "fixed", "agreed")


@pytest.fixture
def filled(hedging: ActionDriver) -> ActionDriver:
    """A case of each state, and a hidden reproduced one."""
    rows = [case(hedging, id=f"{n}{state}", case_key=state, state=state) for n, state in enumerate(STATES)]
    rows.append(
        case(hedging, id="9hidden", case_key="h", state="reproduced", hidden_reason="a name", submitted_by="carol")
    )
    with hedging.writing() as work:
        work.session.add_all(rows)
    return hedging


def names(rows) -> list[str]:
    return [row.id for row in rows]


def test_a_suite_holds_all_but_what_was_refuted_or_hidden(filled: ActionDriver) -> None:
    with filled.reading() as work:
        assert names(case_queries.cases_to_replay(work.session, SUMS)) == [
            "0open",
            "1reproduced",
            "3disputed",
            "4fixed",
            "5agreed",
        ]
        assert case_queries.count_cases(work.session, SUMS) == dict.fromkeys(STATES, 1)


def test_hidden_cases_are_in_lists_for_those_who_may_see_them(filled: ActionDriver) -> None:
    with filled.reading() as work:
        assert names(case_queries.page_of_cases(work.session, SUMS, None, None, 2)) == ["5agreed", "4fixed"]
        assert names(case_queries.page_of_cases(work.session, SUMS, None, None, 1, with_hidden=True)) == ["9hidden"]
        assert names(case_queries.page_of_cases(work.session, SUMS, "open", "1reproduced", 9)) == ["0open"]
        assert "9hidden" not in names(case_queries.newest_cases(work.session, 20))


def test_what_waits_is_counted_by_account_and_package(filled: ActionDriver) -> None:
    with filled.reading() as work:
        assert case_queries.count_waiting_cases(work.session, SUMS, "bob") == 5, "refuted ones wait for nobody"
        assert case_queries.count_waiting_cases(work.session, SUMS, "carol") == 1, "a hidden one still costs a run"
        assert case_queries.count_waiting_cases(work.session, "al/x", "bob") == 0
        assert case_queries.count_cases_by(work.session, SUMS, "1.0.0", "bob") == 6
        assert case_queries.count_cases_by(work.session, SUMS, "1.0.1", "bob") == 0


def test_seconds_are_in_order_and_make_a_case_ones_own_too(filled: ActionDriver) -> None:
    now = filled.clock.now()
    with filled.writing() as work:
        for seconds, (case_id, account) in enumerate(
            (("1reproduced", "zoe"), ("1reproduced", "dan"), ("4fixed", "dan"))
        ):
            work.session.add(
                CaseSecondRow(case_id=case_id, account=account, seconded_at=now + timedelta(seconds=seconds))
            )
    with filled.reading() as work:
        assert case_queries.seconders_of(work.session, "1reproduced") == ["zoe", "dan"]
        assert case_queries.seconders_by_case(work.session, ["1reproduced", "4fixed", "0open"]) == {
            "1reproduced": ["zoe", "dan"],
            "4fixed": ["dan"],
        }
        assert case_queries.seconders_by_case(work.session, []) == {}
        assert len(case_queries.ledger_of(work.session, "dan")) == 2
        assert [row.submitted_by for row in case_queries.ledger_of(work.session, "carol")] == ["carol"]
        assert names(case_queries.cases_touched_by(work.session, "dan", "", 5)) == ["1reproduced", "4fixed"]
        assert names(case_queries.cases_touched_by(work.session, "dan", "1reproduced", 5)) == ["4fixed"]
        assert names(case_queries.cases_touched_by(work.session, "carol", "", 5)) == ["9hidden"]

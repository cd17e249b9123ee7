"""Accounts of standing alone take few cases that count out of a verifier's rates, whichever way they try."""

import pytest

from hub_server.audits import actions
from hub_server.audits.actions.seconders import let_count
from hub_server.audits.errors import CaseNotSecondableError
from hub_server.audits.models import CounterExampleRow
from hub_server.kernel.caller import Caller
from tests.hub_server.audits.actions.test_dispute_end import later, of_standing
from tests.hub_server.audits.judged import ALICE, CAROL, MODA, SUMS, hack, state_of, submit
from tests.making.action_driver import ActionDriver


@pytest.fixture
def liars(hedging: ActionDriver) -> list[Caller]:
    return [of_standing(hedging, name) for name in ("dora", "emil")]


def confirmed(driver: ActionDriver, count: int, by: str = "verifiers") -> list[str]:
    """True cases of carol that count by somebody else's word."""
    ids = [submit(driver, hack(f"t{n}{by}", response=f"2 or t{n}{by}"), CAROL).id for n in range(count)]
    with driver.writing() as work:
        for case_id in ids:
            let_count(work, work.session.get_one(CounterExampleRow, case_id), by)
    return ids


def dispute(driver: ActionDriver, liars: list[Caller], case_id: str) -> str:
    for by in liars:
        driver.do(by, actions.dispute_case, SUMS, case_id, "it is right")
    return state_of(driver, case_id)


@pytest.mark.parametrize("by", ["verifiers", "owner", "moderator"])
def test_what_somebody_else_confirmed_only_a_moderator_takes_out(
    hedging: ActionDriver, liars: list[Caller], by: str
) -> None:
    """Five confirmed errors are an F. Two accounts of standing disputed one, and the verifier was a B."""
    ids = confirmed(hedging, 2, by)
    assert [dispute(hedging, liars, case_id) for case_id in ids] == ["disputed", "disputed"]
    later(hedging, 14)
    case = hedging.ask(None, actions.get_case, SUMS, ids[1])
    assert (case.state, case.history[-1].what) == ("reproduced", "upheld")
    assert f"({by}): a moderator decides" in case.history[-1].reason


@pytest.mark.parametrize("by", ["standing", "labels"])
def test_of_many_errors_that_count_they_take_one_out_and_a_moderator_the_rest(
    hedging: ActionDriver, liars: list[Caller], by: str
) -> None:
    """Two of them disputed every error that honest people had labelled, and a friend's verifier had none left."""
    ids = confirmed(hedging, 3, by)
    assert [dispute(hedging, liars, case_id) for case_id in ids] == ["refuted", "disputed", "disputed"]
    later(hedging, 14)
    assert state_of(hedging, ids[1]) == "reproduced", "nor does time"
    case = hedging.ask(None, actions.get_case, SUMS, ids[1])
    assert "take out at most 1 of the cases" in case.history[-1].reason
    hedging.do(MODA, actions.dispute_case, SUMS, ids[2], "they are right")
    assert hedging.do(MODA, actions.settle_dispute, SUMS, ids[2], "withdrawn").state == "refuted"


def test_what_counts_for_nothing_or_waits_has_no_limit(hedging: ActionDriver, liars: list[Caller]) -> None:
    ids = [submit(hedging, hack(f"w{n}", response=f"2 or w{n}"), CAROL).id for n in range(3)]
    with hedging.writing() as work:
        row = work.session.get_one(CounterExampleRow, ids[2])
        let_count(work, row, "standing")
        row.waits = True
    assert {dispute(hedging, liars, case_id) for case_id in ids} == {"refuted"}
    with hedging.reading() as work:
        assert actions.points(work, "carol") == 0


def test_what_a_moderator_confirmed_is_taken_back_by_a_moderator_alone(
    hedging: ActionDriver, liars: list[Caller]
) -> None:
    """Two of standing withdrew a label that a moderator had confirmed."""
    [case_id] = confirmed(hedging, 1, "labels")
    with hedging.writing() as work:
        work.session.get_one(CounterExampleRow, case_id).corroborated_by = "moderator"
    assert dispute(hedging, liars, case_id) == "disputed"
    later(hedging, 14)
    assert state_of(hedging, case_id) == "reproduced"


def test_the_opposite_label_takes_nothing_out_that_verifiers_confirm(hedging: ActionDriver) -> None:
    """Labels that said the opposite put out of the rates whatever verifiers had confirmed. The owner's word is less:
    or an owner would second a lie, and keep the truth about the same response from counting.
    """
    ids = [*confirmed(hedging, 1, "owner"), *confirmed(hedging, 1, "verifiers")]
    opposite = []
    with hedging.writing() as work:
        for case_id in ids:
            row = work.session.get_one(CounterExampleRow, case_id)
            fields = {
                name: getattr(row, name)
                for name in ("package_id", "content_key", "submitted_at", "against", "verdicts")
            }
            twin = CounterExampleRow(id=f"x{case_id}", **fields, case={**row.case, "label": "correct"}, claim="correct",
                                     case_key=f"x{case_id}", state="agreed", submitted_by="dora", history=[], counted_by="",
                                     corroborated_by="")  # fmt: skip
            work.session.add(twin)
            opposite.append(twin.id)
    with hedging.writing() as work:
        let_count(work, work.session.get_one(CounterExampleRow, opposite[0]), "labels")
    with hedging.writing() as work:
        with pytest.raises(CaseNotSecondableError, match="a moderator decides"):
            let_count(work, work.session.get_one(CounterExampleRow, opposite[1]), "labels")
        let_count(work, work.session.get_one(CounterExampleRow, opposite[1]), "moderator")
    assert hedging.ask(None, actions.get_case, SUMS, ids[0]).counted_by == ""
    assert hedging.ask(ALICE, actions.get_case, SUMS, ids[1]).counted_by == ""

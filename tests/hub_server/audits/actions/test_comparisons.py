"""Comparisons: asked for once, kept by both releases, read whichever way round."""

import pytest

from hub_server.audits import actions
from hub_server.audits.actions.comparisons import keep_comparison
from hub_server.audits.errors import ComparisonNotFoundError
from hub_server.catalog.errors import PackageNotFoundError, QuarantinedError
from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError
from hub_server.execution.errors import NothingToExecuteError
from hub_server.moderation.actions import quarantine_release
from schemas.account import Scope
from schemas.comparison import ComparisonRequest, VerifierComparison
from schemas.measures.intervals import rate
from tests.hub_server.audits.judged import ALICE, BOB, MODA, SUMS, hack, publish, submit
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller

OTHER = "alice/other"
PAIR = ComparisonRequest(left=SUMS, right=OTHER)


def found(first: str = "a", second: str = "b") -> VerifierComparison:
    return VerifierComparison(
        first=first, second=second, case_count=4, counts={"accepted/accepted": 4}, agreement=rate(4, 4), kappa=None,
        distance=None, disagreements=[], judged=4, agreed=4,
    )  # fmt: skip


@pytest.fixture
def two(hedging: ActionDriver) -> ActionDriver:
    hedging.publish(ALICE, OTHER)
    return hedging


def ids(driver: ActionDriver) -> dict[str, str]:
    return dict(driver.rows("SELECT package_id, id FROM releases"))


@pytest.mark.parametrize(
    ("by", "error"),
    [(None, NotAuthenticatedError), (caller("bob", scopes=EVERY_SCOPE - {Scope.CASES}), NotAllowedError), (BOB, None)],
)
def test_anybody_with_an_account_asks(two: ActionDriver, by, error) -> None:
    if error is None:
        record = two.do(by, actions.request_comparison, PAIR)
        assert (record.left, record.right, record.state, record.requested_by) == (
            f"{SUMS}@1.0.0",
            f"{OTHER}@1.0.0",
            "queued",
            "bob",
        )
    else:
        with pytest.raises(error):
            two.do(by, actions.request_comparison, PAIR)


@pytest.mark.parametrize(
    ("right", "error"),
    [(SUMS, InvalidRequestError), (f" {SUMS}@1.0.0 ", InvalidRequestError), ("no reference!", InvalidRequestError),
     ("", InvalidRequestError), ("\x00", InvalidRequestError), ("alice/none", PackageNotFoundError),
     (f"{OTHER}@>=9", Exception), ("alice/look", NothingToExecuteError)],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(two: ActionDriver, right: str, error) -> None:
    two.publish(
        ALICE, "alice/look", manifest='format = 1\nid = "alice/look"\nkind = "tool"\ntools = ["alice_look:f"]\n'
    )
    with pytest.raises(error):
        two.do(BOB, actions.request_comparison, ComparisonRequest(left=SUMS, right=right))
    assert two.rows("SELECT id FROM comparisons") == []


def test_what_is_under_way_or_done_is_returned_and_again_means_again(two: ActionDriver) -> None:
    first = two.do(BOB, actions.request_comparison, PAIR)
    again = PAIR.model_copy(update={"again": True})
    assert two.do(ALICE, actions.request_comparison, again).id == first.id, "while it waits, once is enough"
    two.do(None, actions.start_comparison, first.id, ids(two)[SUMS], ids(two)[OTHER])
    two.do(None, actions.finish_comparison, first.id, found())
    done = two.do(ALICE, actions.request_comparison, PAIR)
    assert (done.id, done.state, done.requested_by) == (first.id, "done", "bob")


def test_what_failed_may_be_asked_for_again(two: ActionDriver) -> None:
    first = two.do(BOB, actions.request_comparison, PAIR)
    two.do(None, actions.fail_comparison, first.id, ids(two)[SUMS], ids(two)[OTHER], "no engine")
    assert two.ask(None, actions.get_comparison, first.id).error == "no engine"
    assert two.do(BOB, actions.request_comparison, PAIR).state in ("queued", "failed")


def test_it_is_read_whichever_way_round_it_was_asked(two: ActionDriver) -> None:
    record = two.do(BOB, actions.request_comparison, PAIR)
    for left, right in ((SUMS, OTHER), (OTHER, SUMS), (f"{SUMS}@1.0.0", f"{OTHER}@>=1")):
        read = two.ask(None, actions.find_comparison, left, right)
        assert read is not None
        assert read.id == record.id
    publish(two, "1.1.0")
    assert two.ask(None, actions.find_comparison, SUMS, OTHER) is None, "another release was not compared"
    with pytest.raises(ComparisonNotFoundError):
        two.ask(None, actions.get_comparison, "none")


def test_both_sides_suites_are_run_with_the_communitys_cases(two: ActionDriver) -> None:
    case_id = submit(two, hack()).id
    plan = two.do(None, actions.start_comparison, "c1", ids(two)[SUMS], ids(two)[OTHER])
    assert plan is not None
    assert plan.names == (f"{SUMS}@1.0.0", f"{OTHER}@1.0.0")
    assert [[case.id for case in side.cases] for side in plan.sides] == [
        ["a1", "a2", f"community:{case_id}"],
        ["a1", "a2"],
    ]
    assert plan.sides[0].tasks["t1"]["answer"] == 2
    two.do(None, actions.finish_comparison, "c1", found())
    assert two.do(None, actions.start_comparison, "c1", ids(two)[SUMS], ids(two)[OTHER]) is None


def test_only_finished_ones_are_shown_as_the_newest_also_those_that_the_hub_made(two: ActionDriver) -> None:
    two.do(BOB, actions.request_comparison, PAIR)
    assert two.ask(None, actions.newest_comparisons) == []
    two.do(None, keep_comparison, ids(two)[OTHER], ids(two)[SUMS], found())
    (newest,) = two.ask(None, actions.newest_comparisons)
    assert (newest.left, newest.requested_by, newest.result) == (f"{OTHER}@1.0.0", "hub", found())


def test_a_quarantined_verifier_is_compared_with_nobody(two: ActionDriver) -> None:
    two.do(MODA, quarantine_release, OTHER, "1.0.0", "steals")
    with pytest.raises(QuarantinedError):
        two.do(BOB, actions.request_comparison, ComparisonRequest(left=SUMS, right=f"{OTHER}@1.0.0"))

"""What models did: whose word it is, what fits the benchmark, and that no number is made of nothing."""

import pytest
from pydantic import ValidationError

from hub_server.catalog.errors import PackageNotFoundError, ReleaseNotFoundError
from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError
from hub_server.evaluations.actions.results import get_benchmark, list_results, submit_results
from hub_server.evaluations.errors import BenchmarkNotFoundError, InvalidResultsError
from schemas.account import Scope
from schemas.benchmark import TaskOutcome
from tests.hub_server.evaluations.ladders import ALICE, BENCH, BOB, SUMS, benchmark, results, send
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller


@pytest.mark.parametrize(
    ("by", "error"),
    [
        (None, NotAuthenticatedError),
        (caller("bob", scopes=EVERY_SCOPE - {Scope.RUNS}), NotAllowedError),
        (BOB, None),
        (ALICE, None),
    ],
    ids=["nobody", "token without runs", "stranger", "the benchmark's owner"],
)
def test_anybody_with_an_account_sends_results_in_their_own_name(bench: ActionDriver, by, error) -> None:
    if error is None:
        assert bench.do(by, submit_results, BENCH, "1.0.0", results()).submitted_by == by.name
    else:
        with pytest.raises(error):
            bench.do(by, submit_results, BENCH, "1.0.0", results())
        assert bench.rows("SELECT id FROM benchmark_results") == []


def test_the_mean_is_over_tasks_and_not_over_tries(bench: ActionDriver) -> None:
    outcomes = [TaskOutcome(task_id="t1", attempts=1, successes=1), TaskOutcome(task_id="t2", attempts=99, successes=0)]
    found = send(bench, results(outcomes=outcomes))
    assert (found.mean, found.task_count) == (0.5, 2)


def test_the_same_place_is_replaced_and_another_is_not(bench: ActionDriver) -> None:
    first = send(bench, results(solved=1))
    for other in (results(model="other"), results(harness="tool-loop")):
        send(bench, other)
    send(bench, results(), by=ALICE)
    again = send(bench, results(solved=6))
    assert again.id == first.id
    assert again.submitted_at > first.submitted_at
    assert len(bench.rows("SELECT id FROM benchmark_results")) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"outcomes": []},
        {"model": ""},
        {"model": "x" * 201},
        {"environment_version": "latest"},
        {"environment": "no"},
        {"failed": -1},
    ],
)
def test_what_is_no_result_cannot_even_be_said(change) -> None:
    with pytest.raises(ValidationError):
        results(**change)


@pytest.mark.parametrize(
    "fields", [{"attempts": 0, "successes": 0}, {"attempts": -1, "successes": 0}, {"attempts": 1, "successes": -1}]
)
def test_a_task_without_an_attempt_has_no_row_and_so_no_zero(fields) -> None:
    with pytest.raises(ValidationError):
        TaskOutcome(task_id="t1", **fields)


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ([TaskOutcome(task_id="t1", attempts=1, successes=2)], "more successes than attempts"),
        ([TaskOutcome(task_id="t1", successes=1)] * 2, "comes twice"),
    ],
)
def test_numbers_that_contradict_themselves_are_refused(bench: ActionDriver, outcomes, words: str) -> None:
    with pytest.raises(InvalidResultsError, match=words):
        send(bench, results(outcomes=outcomes))


@pytest.mark.parametrize(
    "change",
    [{"model": "\udfff"}, {"run_id": "\ud800"}],
)
def test_half_a_character_cannot_break_a_report_for_everybody(bench: ActionDriver, change) -> None:
    """No field of theirs may hold it, whatever the schema of today says."""
    body = results().model_copy(update=change)
    with pytest.raises(InvalidRequestError, match="surrogate"):
        send(bench, body)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"environment": "alice/other"}, "is not in alice/bench"),
        ({"environment_version": "2.0.0"}, "not version 2.0.0"),
        ({"environment_version": "0.9"}, "not version 0.9"),
    ],
)
def test_results_of_something_else_do_not_count_for_this_benchmark(bench: ActionDriver, change, words: str) -> None:
    with pytest.raises(InvalidResultsError, match=words):
        send(bench, results(**change))


def test_an_environment_pinned_by_its_digest_takes_the_version_that_was_run(bench: ActionDriver) -> None:
    ((digest,),) = bench.rows("SELECT digest FROM releases WHERE package_id = :p", p=SUMS)
    bench.publish(ALICE, "alice/exact", manifest=benchmark("alice/exact", (f"{SUMS}@{digest}",)))
    assert send(bench, results(environment_version="1.0.0"), package="alice/exact").environment_version == "1.0.0"


def test_what_is_no_benchmark_takes_no_results(bench: ActionDriver) -> None:
    for package, error in ((SUMS, BenchmarkNotFoundError), ("alice/none", PackageNotFoundError)):
        with pytest.raises(error):
            send(bench, results(), package=package)
    with pytest.raises(ReleaseNotFoundError):
        bench.ask(None, get_benchmark, BENCH, "9.0.0")


def test_every_submission_asks_for_a_new_report(bench: ActionDriver) -> None:
    send(bench, results())
    send(bench, results(model="other"))
    jobs = bench.rows("SELECT account FROM jobs WHERE name = 'evaluations.measure_benchmark'")
    assert jobs == [("bob",), ("bob",)]


def test_submissions_are_paged_newest_first(bench: ActionDriver) -> None:
    sent = [send(bench, results(model=f"m{n}")).id for n in range(3)]
    page = bench.ask(None, list_results, BENCH, limit=2)
    rest = bench.ask(None, list_results, BENCH, cursor=page.next)
    assert [one.id for one in [*page.items, *rest.items]] == sent[::-1]
    assert rest.next is None

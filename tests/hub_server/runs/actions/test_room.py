"""Nobody fills the hub's disk with reports of runs: each run and each account has so many bytes, on both databases."""

import threading
from dataclasses import replace

import pytest

from hub_server.kernel.services import Services
from hub_server.ownership import actions as ownership
from hub_server.runs import actions, queries
from hub_server.runs.actions.room import size_of_run
from hub_server.runs.errors import RunTooLargeError
from hub_server.runs.models import RunRow
from schemas.run import Run, RunCreate, RunState, RunUpdate
from tests.hub_server.runs.actions.reports import ANN, BEN, begun, point, rollout
from tests.making.action_driver import ActionDriver, person

KIB = 1024


@pytest.fixture
def hub(services: Services) -> ActionDriver:
    """A run may take 64 KiB, and all runs of an account 128."""
    limits = services.settings.limits.model_copy(update={"run_bytes": 64 * KIB, "runs_bytes_each": 128 * KIB})
    return ActionDriver(replace(services, settings=services.settings.model_copy(update={"limits": limits})))


def fill(hub: ActionDriver, run: Run, kib: int, **more) -> None:
    hub.do(ANN, actions.log_rollouts, run.id, [rollout(response="x" * KIB, **more) for _ in range(kib)])


def counted(hub: ActionDriver, run: Run) -> int:
    return int(hub.rows(f"SELECT stored_bytes FROM runs WHERE id = '{run.id}'")[0][0])


def test_a_run_takes_so_many_rollouts_and_a_refused_report_leaves_nothing(hub: ActionDriver) -> None:
    run = begun(hub)
    fill(hub, run, 40)
    before = counted(hub, run)
    with pytest.raises(RunTooLargeError, match=r"limit of this hub for one run is 0\.1 MiB.*begin another run"):
        fill(hub, run, 40)
    assert counted(hub, run) == before
    assert len(hub.rows("SELECT id FROM rollouts")) == 40


def test_an_owner_is_told_which_limit_is_near(hub: ActionDriver) -> None:
    first, second, third = begun(hub), begun(hub), begun(hub)
    fill(hub, first, 20)
    assert hub.ask(ANN, actions.words_of_room, first.id) == ""
    fill(hub, first, 32)
    assert hub.ask(ANN, actions.words_of_room, first.id).startswith("This run takes 0.1 MiB of the 0.1 MiB")
    assert hub.ask(ANN, actions.words_of_room, second.id) == ""
    fill(hub, second, 52)
    assert hub.ask(ANN, actions.words_of_room, third.id).startswith("Your runs take 0.1 MiB of the 0.1 MiB")


@pytest.mark.parametrize("field", ["prompt", "task_id", "phase", "package", "error"])
def test_every_text_of_a_rollout_counts(hub: ActionDriver, field: str) -> None:
    run = begun(hub)
    with pytest.raises(RunTooLargeError):
        hub.do(ANN, actions.log_rollouts, run.id, [rollout(**{field: "ä" * 40 * KIB})])


def test_names_of_rewards_count(hub: ActionDriver) -> None:
    run, named = begun(hub), {f"{number:0>1000}": 1.0 for number in range(70)}
    for field in ("rewards", "held_out"):
        with pytest.raises(RunTooLargeError):
            hub.do(ANN, actions.log_rollouts, run.id, [rollout(**{field: named})])


def test_many_runs_of_one_account_share_a_limit_that_is_nobody_elses(hub: ActionDriver) -> None:
    for is_private in (False, True):
        fill(hub, begun(hub, is_private=is_private), 50)
    third = begun(hub)
    with pytest.raises(RunTooLargeError, match=r"All runs of ann .*delete runs .*`verihub owner delete-run`"):
        fill(hub, third, 30)
    with pytest.raises(RunTooLargeError, match="All runs of ann"):
        begun(hub, config={"x": "x" * 40 * KIB})
    other = hub.do(BEN, actions.create_run, RunCreate(name="ben's"))
    hub.do(BEN, actions.log_rollouts, other.id, [rollout(response="x" * KIB)])


def test_a_deleted_run_gives_its_bytes_back(hub: ActionDriver) -> None:
    runs = [begun(hub) for _ in range(2)]
    for run in runs:
        fill(hub, run, 50)
        hub.do(ANN, actions.log_metrics, run.id, [point(1)])
    third = begun(hub)
    with pytest.raises(RunTooLargeError):
        fill(hub, third, 30)
    hub.do(person("ann"), ownership.delete_run, runs[0].id)
    fill(hub, third, 30)
    assert len(hub.rows(f"SELECT id FROM rollouts WHERE run_id != '{runs[0].id}'")) == 80
    assert len(hub.rows("SELECT id FROM rollouts")) == 80, "and none of the deleted run is left"


def test_metrics_and_the_end_have_room_where_rollouts_have_none(hub: ActionDriver) -> None:
    run = begun(hub)
    for _ in range(60):
        try:
            fill(hub, run, 1)
        except RunTooLargeError:
            break
    with pytest.raises(RunTooLargeError):
        fill(hub, run, 2)
    hub.do(ANN, actions.log_metrics, run.id, [point(1)])
    ended = hub.do(ANN, actions.update_run, run.id, RunUpdate(state=RunState.FINISHED, note="x" * KIB))
    assert (ended.state, len(ended.note)) == (RunState.FINISHED, KIB)


def test_metrics_notes_and_summaries_have_an_end_too(hub: ActionDriver) -> None:
    run, many = begun(hub), {f"metric {number:0>90}": 1.0 for number in range(400)}
    hub.do(ANN, actions.log_metrics, run.id, [point(1, **many)])
    with pytest.raises(RunTooLargeError):
        hub.do(ANN, actions.log_metrics, run.id, [point(2, **many)])
    with pytest.raises(RunTooLargeError):
        hub.do(ANN, actions.update_run, run.id, RunUpdate(note="x" * 60 * KIB))


def test_what_replaces_counts_for_what_it_replaces(hub: ActionDriver) -> None:
    """A retry, or a resumed run that reports its steps again, uses up nothing."""
    run, many = begun(hub), {f"metric {number:0>90}": 1.0 for number in range(400)}
    hub.do(ANN, actions.log_metrics, run.id, [point(1, **many)])
    before = counted(hub, run)
    for _ in range(3):
        hub.do(ANN, actions.log_metrics, run.id, [point(1, **many)])
        hub.do(ANN, actions.update_run, run.id, RunUpdate(note="x" * 8 * KIB))
    assert counted(hub, run) == before + 8 * KIB
    hub.do(ANN, actions.update_run, run.id, RunUpdate(note=""))
    assert counted(hub, run) == before


def test_what_is_freed_is_never_refused(hub: ActionDriver) -> None:
    """The operator has lowered the limit: whoever is above it may still end a run, or shorten it."""
    run = begun(hub, config={"x": "x" * 30 * KIB})
    hub.do(ANN, actions.update_run, run.id, RunUpdate(note="x" * 20 * KIB))
    limits = hub.services.settings.limits.model_copy(update={"run_bytes": 10 * KIB, "runs_bytes_each": 10 * KIB})
    hub.services = replace(hub.services, settings=hub.services.settings.model_copy(update={"limits": limits}))
    hub.do(ANN, actions.update_run, run.id, RunUpdate(state=RunState.STOPPED, note="short"))


def test_reports_at_once_about_two_runs_pass_no_limit_together(hub: ActionDriver) -> None:
    account = hub.person("ann")
    first, second, third = (hub.do(account, actions.create_run, RunCreate(name="r")) for _ in range(3))
    rows = [rollout(response="x" * KIB) for _ in range(50)]
    hub.do(account, actions.log_rollouts, third.id, rows)
    refused: list[RunTooLargeError] = []

    def report() -> None:
        try:
            hub.do(account, actions.log_rollouts, second.id, rows)
        except RunTooLargeError as error:
            refused.append(error)

    other = threading.Thread(target=report)
    with hub.writing(account) as work:
        actions.log_rollouts(work, first.id, rows)
        other.start()
        other.join(0.5)  # long enough to go wrong
    other.join()
    assert len(refused) == 1
    assert len(hub.rows("SELECT id FROM rollouts")) == 100


def test_what_is_counted_of_a_run_is_what_its_row_holds(hub: ActionDriver) -> None:
    run = begun(hub, config={"x": 1})
    hub.do(ANN, actions.update_run, run.id, RunUpdate(note="said"))
    with hub.reading() as work:
        row = work.session.get_one(RunRow, run.id)
        assert row.stored_bytes == size_of_run(row)
        assert queries.stored_bytes_of(work.session, "ann") == row.stored_bytes

"""Who means to take more of the hub's disk than the limits say: what is counted is what the database holds."""

import random
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from hub_server.errors import NotAllowedError
from hub_server.kernel.services import Services
from hub_server.ownership import actions as ownership
from hub_server.runs import actions
from hub_server.runs.errors import RunNotFoundError, RunTooLargeError
from schemas.run import Run, RunCreate, RunState, RunUpdate
from tests.hub_server.runs.actions.reports import ANN, begun, point, rollout
from tests.making.action_driver import ActionDriver

KIB = 1024
TEXTS = {"rollouts": ("prompt", "response", "error", "phase", "package", "task_id", "rewards", "held_out"),
         "metric_points": ("metrics",),
         "runs": ("name", "model", "recipe", "packages", "rewards", "config", "summary", "outcomes", "note")}  # fmt: skip


@pytest.fixture
def hub(services: Services) -> ActionDriver:
    limits = services.settings.limits.model_copy(update={"run_bytes": 64 * KIB, "runs_bytes_each": 96 * KIB})
    return ActionDriver(replace(services, settings=services.settings.model_copy(update={"limits": limits})))


def counted(hub: ActionDriver, run: Run) -> int:
    return int(hub.rows(f"SELECT stored_bytes FROM runs WHERE id = '{run.id}'")[0][0])


def held(hub: ActionDriver) -> int:
    """What the texts of all runs take in the database."""
    size = "length(CAST({} AS BLOB))" if hub.services.database.is_sqlite else "octet_length(CAST({} AS TEXT))"
    asked = ("SELECT coalesce(sum(" + " + ".join(map(size.format, names)) + f"), 0) FROM {table}"
             for table, names in TEXTS.items())  # fmt: skip
    return sum(int(hub.rows(one)[0][0]) for one in asked)


@pytest.mark.parametrize("letter", ["x", "ä", "数", "🙂", '"', "\\", "\n", "\x01"])
def test_no_letter_takes_more_than_it_counts(hub: ActionDriver, letter: str) -> None:
    """Names of rewards and metrics, and settings, are kept as escaped JSON: a smiley counted 4 bytes and took 12."""
    recipe = letter * 100 if letter.isprintable() else ""  # others are refused there
    run = begun(hub, config={letter * 500: letter * 500}, recipe=recipe)
    hub.do(ANN, actions.log_metrics, run.id, [point(1, **{f"m{letter * 400}": 1.0, "a": None})])
    named = {f"r{letter * 400}": 1.0}
    hub.do(ANN, actions.log_rollouts, run.id, [rollout(prompt=letter * 900, rewards=named, held_out=named)])
    hub.do(ANN, actions.update_run, run.id, RunUpdate(note=letter * 500))
    assert held(hub) <= counted(hub, run) <= 3 * held(hub) + 1000


@pytest.mark.parametrize("seed", range(3))
def test_no_order_of_reports_counts_less_than_there_is_or_below_nothing(hub: ActionDriver, seed: int) -> None:
    draw = random.Random(seed)
    run = begun(hub)
    values = (1.0, 0.1, 1e22, 1e-300, 123456789.123, -0.0, None, 1e300)

    def report() -> Callable[[], object]:
        steps = [point(draw.randrange(4), **{f"ä{draw.randrange(9)}": draw.choice(values) for _ in range(9)})
                 for _ in range(4)]  # fmt: skip
        note = RunUpdate(note="ü" * draw.randrange(2000), state=draw.choice([*RunState, None]))
        return draw.choice(
            [
                lambda: hub.do(ANN, actions.log_metrics, run.id, steps),
                lambda: hub.do(ANN, actions.update_run, run.id, note),
                lambda: hub.do(ANN, actions.log_rollouts, run.id, [rollout(response="é" * draw.randrange(300))]),
            ]
        )

    for _ in range(40):
        report()()
        assert counted(hub, run) >= held(hub)


def test_a_step_that_is_sent_twice_at_once_is_counted_as_kept(hub: ActionDriver) -> None:
    run = begun(hub)
    hub.do(ANN, actions.log_metrics, run.id, [point(1, long=1.0, **{"n" * 900: 1.0}), point(1, x=1.0)])
    before = counted(hub, run)
    hub.do(ANN, actions.log_metrics, run.id, [point(1, x=1.0)])
    assert counted(hub, run) == before, "the last one is what is kept"


def test_what_was_counted_otherwise_before_never_falls_below_nothing(hub: ActionDriver) -> None:
    """Older hubs counted an upgrade's rows roughly: replacing them freed more than was counted."""
    run = begun(hub)
    hub.do(ANN, actions.log_metrics, run.id, [point(1, **{"n" * 9000: 1.0})])
    with hub.writing() as work:
        work.session.connection().exec_driver_sql("UPDATE runs SET stored_bytes = 10")
    hub.do(ANN, actions.log_metrics, run.id, [point(1, x=1.0)])
    assert counted(hub, run) >= 0


def test_a_run_that_is_deleted_while_a_report_waits_takes_the_report_with_it(hub: ActionDriver) -> None:
    account = hub.person("ann")
    run = hub.do(account, actions.create_run, RunCreate(name="r"))
    told: list[BaseException] = []

    def report() -> None:
        try:
            hub.do(account, actions.log_rollouts, run.id, [rollout()] * 20)
        except RunNotFoundError as error:
            told.append(error)

    other = threading.Thread(target=report)
    with hub.writing(account) as work:
        ownership.delete_run(work, run.id)
        other.start()
        other.join(0.5)  # long enough to go wrong
    other.join()
    assert len(told) == 1
    for table in ("runs", "rollouts", "metric_points", "run_packages"):
        assert hub.rows(f"SELECT count(*) FROM {table}")[0][0] == 0, table


def test_two_deletions_and_reports_at_once_end_in_one_state(hub: ActionDriver) -> None:
    account = hub.person("ann")
    runs = [hub.do(account, actions.create_run, RunCreate(name=f"r{one}")) for one in range(4)]
    go = threading.Barrier(12)
    faults: list[BaseException] = []

    def act(what: Callable[[], object]) -> None:
        go.wait()
        try:
            what()
        except (RunNotFoundError, RunTooLargeError):
            pass
        except BaseException as error:  # noqa: BLE001 -- shown below
            faults.append(error)

    acts: list[Callable[[], object]] = []
    for run in runs:
        acts += [
            lambda run=run: hub.do(account, ownership.delete_run, run.id),
            lambda run=run: hub.do(account, actions.log_rollouts, run.id, [rollout(response="x" * KIB)] * 5),
            lambda run=run: hub.do(account, actions.update_run, run.id, RunUpdate(state=RunState.FINISHED)),
        ]
    threads = [threading.Thread(target=act, args=(one,)) for one in acts]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert faults == []
    for table in ("runs", "rollouts"):
        assert hub.rows(f"SELECT count(*) FROM {table}")[0][0] == 0, table


def test_members_of_one_organisation_share_no_runs(hub: ActionDriver) -> None:
    """A run is its person's: no owner of the same organisation reports to it, or deletes it."""
    ann, ben = hub.person("ann"), hub.person("ben")
    hub.organization("acme", ann="owner", ben="owner")
    run = hub.do(ann, actions.create_run, RunCreate(name="r"))
    with pytest.raises(NotAllowedError):
        hub.do(ben, ownership.delete_run, run.id)
    with pytest.raises(NotAllowedError):
        hub.do(ben, actions.log_rollouts, run.id, [rollout()])
    assert counted(hub, run) > 0


def test_an_account_that_is_deleted_leaves_none_of_its_private_runs(hub: ActionDriver) -> None:
    account = hub.person("ann")
    run = hub.do(account, actions.create_run, RunCreate(name="r", is_private=True))
    hub.do(account, actions.log_rollouts, run.id, [rollout()] * 3)
    hub.do(account, actions.update_run, run.id, RunUpdate(state=RunState.FINISHED))
    hub.do(account, ownership.delete_account, "ann")
    assert held(hub) == 0

"""Runs: whose they are, what may be sent to them, and that a retry or an odd number does no harm."""

import itertools
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_server.database.base import UtcDateTime
from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError
from hub_server.kernel.job_names import JobName
from hub_server.runs import actions
from hub_server.runs.errors import RunNotFoundError
from hub_server.runs.rules.reports import MAX_METRICS_A_POINT, MAX_POINTS, MAX_ROLLOUTS, check_moment
from schemas.account import Scope
from schemas.run import MetricPoint, PinnedPackage, RolloutRow, Run, RunCreate, RunFilter, RunState, RunUpdate
from tests.making.desk import EVERY_SCOPE, Desk, caller, person

ANN, BEN = caller("ann"), caller("ben")
PIN = PinnedPackage(package="alice/sums", version="1.0.0", digest="sha256:0")


def begun(desk: Desk, **more) -> Run:
    return desk.do(ANN, actions.create_run, RunCreate(**{"name": "grpo", **more}))


def rollout(step: int = 1, **more) -> RolloutRow:
    return RolloutRow(**{"step": step, "task_id": "t1", "response": "2", "rewards": {"correct": 1.0}, **more})


def point(step: int, **values: float | None) -> MetricPoint:
    return MetricPoint(step=step, values=values or {"reward": 0.5})


def test_a_run_belongs_to_the_account_that_began_it_and_runs(desk: Desk) -> None:
    run = begun(desk, config={"lr": 1e-6}, packages=[PIN])
    assert (run.owner, run.state, run.last_step) == ("ann", RunState.RUNNING, None)
    assert desk.ask(None, actions.get_run, run.id) == run


def test_a_package_that_is_pinned_twice_is_used_once(desk: Desk) -> None:
    run = begun(desk, packages=[PIN, PIN.model_copy(update={"version": "1.1.0"})])
    assert desk.rows("SELECT package_id FROM run_packages") == [("alice/sums",)]
    assert len(run.packages) == 2, "what was pinned is kept as it was said"


@pytest.mark.parametrize("kind", ["", "Training", "trainings", "\x00"])
def test_a_kind_that_nobody_knows_is_refused(desk: Desk, kind: str) -> None:
    with pytest.raises(InvalidRequestError, match="training or evaluation"):
        begun(desk, kind=kind)


@pytest.mark.parametrize("config", [{"x": "\ud800"}, {"\udfff": 1}, {"x": [{"y": ["a\ud83d"]}]}])
def test_settings_that_are_no_text_are_refused_and_not_a_fault(desk: Desk, config) -> None:
    with pytest.raises(InvalidRequestError, match="surrogate"):
        begun(desk, config=config)


ACTS = (
    (actions.update_run, (RunUpdate(note="x"),)),
    (actions.log_metrics, ([point(1)],)),
    (actions.log_rollouts, ([rollout()],)),
)


@pytest.mark.parametrize(
    ("by", "error"),
    [
        (None, NotAuthenticatedError),
        (BEN, NotAllowedError),
        (person("moda", is_moderator=True), NotAllowedError),
        (caller("ann", scopes=EVERY_SCOPE - {Scope.RUNS}), NotAllowedError),
        (caller("ann", scopes=frozenset({Scope.RUNS})), None),
        (caller("ben", organizations=frozenset({"ann"})), None),
    ],
    ids=["nobody", "another", "moderator", "narrow token", "token for runs", "member of the owner"],
)
def test_only_the_owner_reports_to_a_run(desk: Desk, by, error) -> None:
    run = begun(desk)
    for act, rest in ACTS:
        if error is None:
            desk.do(by, act, run.id, *rest)
        else:
            with pytest.raises(error):
                desk.do(by, act, run.id, *rest)
    assert len(desk.rows("SELECT id FROM rollouts")) == (error is None)


@pytest.mark.parametrize(
    "act",
    [
        lambda d, i: d.ask(None, actions.get_run, i),
        lambda d, i: d.ask(None, actions.get_metrics, i),
        lambda d, i: d.ask(None, actions.list_rollouts, i),
        lambda d, i: d.do(ANN, actions.update_run, i, RunUpdate(note="x")),
        lambda d, i: d.do(ANN, actions.log_metrics, i, [point(1)]),
    ],
)
def test_what_is_no_run_is_not_found(desk: Desk, act) -> None:
    for identifier in ("", "nonsense", "\x00", "x" * 5000):
        with pytest.raises(RunNotFoundError):
            act(desk, identifier)


def test_a_step_that_is_sent_again_replaces_the_old_one_also_within_one_batch(desk: Desk) -> None:
    run = begun(desk)
    desk.do(ANN, actions.log_metrics, run.id, [point(1, reward=0.1), point(2, reward=0.2), point(1, reward=0.3)])
    desk.do(ANN, actions.log_metrics, run.id, [point(2, reward=0.4)])
    found = desk.ask(None, actions.get_metrics, run.id).items
    assert [(one.step, one.values["reward"]) for one in found] == [(1, 0.3), (2, 0.4)]


def test_the_last_step_is_the_highest_that_came_whatever_the_order(desk: Desk) -> None:
    run = begun(desk)

    def last() -> int | None:
        return desk.ask(None, actions.get_run, run.id).last_step

    desk.do(ANN, actions.log_metrics, run.id, [])
    assert last() is None, "a run that has sent nothing has no step 0"
    desk.do(ANN, actions.log_metrics, run.id, [point(0)])
    assert last() == 0
    desk.do(ANN, actions.log_rollouts, run.id, [rollout(7), rollout(3)])
    assert last() == 7
    desk.do(ANN, actions.log_metrics, run.id, [point(5)])
    desk.do(ANN, actions.log_rollouts, run.id, [])
    assert last() == 7


@pytest.mark.parametrize("step", [-1, 2**31, 10**30])
def test_a_step_that_no_run_reaches_is_refused_wherever_it_is_sent(desk: Desk, step: int) -> None:
    run = begun(desk)
    with pytest.raises(InvalidRequestError):
        desk.do(ANN, actions.log_rollouts, run.id, [rollout(step)])
    with pytest.raises(InvalidRequestError):
        desk.ask(None, actions.list_rollouts, run.id, step=step)
    if step >= 0:
        with pytest.raises(InvalidRequestError):
            desk.do(ANN, actions.log_metrics, run.id, [point(step)])


def test_batches_are_taken_up_to_their_limit(desk: Desk) -> None:
    run = begun(desk)
    desk.do(ANN, actions.log_metrics, run.id, [point(1, **{f"m{n}": 0.0 for n in range(MAX_METRICS_A_POINT)})])
    too_many = (
        (actions.log_metrics, [point(n) for n in range(MAX_POINTS + 1)]),
        (actions.log_metrics, [point(1, **{f"m{n}": 0.0 for n in range(MAX_METRICS_A_POINT + 1)})]),
        (actions.log_rollouts, [rollout()] * (MAX_ROLLOUTS + 1)),
    )
    for act, batch in too_many:
        with pytest.raises(InvalidRequestError, match="the limit is"):
            desk.do(ANN, act, run.id, batch)


def test_a_time_without_a_zone_is_refused_with_what_to_send(desk: Desk) -> None:
    """``datetime.now().isoformat()``, the first thing that a stranger's trainer sends, was a fault of the hub."""
    run = begun(desk)
    naive = MetricPoint(step=1, at=datetime(2026, 1, 1), values={"reward": 1})  # noqa: DTZ001 -- on purpose
    with pytest.raises(InvalidRequestError, match="2026-01-01T00:00:00Z"):
        desk.do(ANN, actions.log_metrics, run.id, [naive])


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))])))
def test_every_moment_is_either_stored_in_utc_or_refused(moment: datetime) -> None:
    try:
        found = check_moment(moment)
    except InvalidRequestError:
        assert moment.year in (1, 9999)
        return
    assert found == moment
    assert UtcDateTime().process_bind_param(found, _Dialect()) is not None


class _Dialect:
    name = "sqlite"


def test_a_finished_run_is_looked_through_once_for_each_package(desk: Desk) -> None:
    run = begun(desk, packages=[PIN, PIN])
    for _ in range(2):
        desk.do(ANN, actions.update_run, run.id, RunUpdate(state=RunState.FINISHED))
    jobs = desk.rows("SELECT name, account FROM jobs")
    assert jobs == [(JobName.GATHER_DISAGREEMENTS, "ann")]


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.STOPPED, RunState.RUNNING])
def test_a_run_that_did_not_finish_asks_nobody(desk: Desk, state: RunState) -> None:
    run = begun(desk, packages=[PIN])
    assert desk.do(ANN, actions.update_run, run.id, RunUpdate(state=state)).state is state
    assert desk.rows("SELECT id FROM jobs") == []


def test_a_change_leaves_alone_what_it_does_not_name(desk: Desk) -> None:
    run = begun(desk)
    desk.do(ANN, actions.update_run, run.id, RunUpdate(note="first"))
    changed = desk.do(ANN, actions.update_run, run.id, RunUpdate(state=RunState.STOPPED))
    assert (changed.note, changed.state) == ("first", RunState.STOPPED)
    assert changed.updated_at > run.updated_at


def test_lists_go_through_every_run_once_newest_first(desk: Desk) -> None:
    made = [begun(desk, name=f"r{n}", packages=[PIN] if n % 2 else []).id for n in range(5)]
    seen, cursor = [], None
    while True:
        page = desk.ask(None, actions.list_runs, cursor=cursor, limit=2)
        seen += [run.id for run in page.items]
        if (cursor := page.next) is None:
            break
    assert seen == made[::-1]
    used = desk.ask(None, actions.list_runs, RunFilter(package="alice/sums")).items
    assert [run.id for run in used] == [made[3], made[1]]
    assert desk.ask(None, actions.list_runs, RunFilter(owner="ben")).items == []


def test_rollouts_are_filtered_counted_and_numbered(desk: Desk) -> None:
    run, other = begun(desk), begun(desk)
    rows = [rollout(1), rollout(2, phase="eval_after"), rollout(2)]
    desk.do(ANN, actions.log_rollouts, run.id, rows)
    desk.do(ANN, actions.log_rollouts, other.id, [rollout(9)])
    page = desk.ask(None, actions.list_rollouts, run.id, step=2, limit=1)
    assert page.facets == {"phase": {"eval_after": 1, "train": 2}, "step": {"1": 1, "2": 2}}
    rest = desk.ask(None, actions.list_rollouts, run.id, step=2, cursor=page.next)
    assert [(one.step, one.phase) for one in [*page.items, *rest.items]] == [(2, "eval_after"), (2, "train")]
    number = page.items[0].id
    assert number is not None
    assert desk.ask(None, actions.get_rollout, run.id, number) == page.items[0]
    for run_id, wanted in ((other.id, number), (run.id, -1), (run.id, 10**30), (run.id, 0)):
        with pytest.raises(RunNotFoundError):
            desk.ask(None, actions.get_rollout, run_id, wanted)


def test_a_clients_own_number_of_a_rollout_is_ignored(desk: Desk) -> None:
    run = begun(desk)
    for _ in range(2):
        desk.do(ANN, actions.log_rollouts, run.id, [rollout(id=1)])
    assert len({row[0] for row in desk.rows("SELECT id FROM rollouts")}) == 2


def test_a_long_run_is_thinned_evenly_and_its_last_point_is_there(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "MOST_POINTS_READ", 100)
    run = begun(desk)
    for first in range(0, 1001, 500):
        desk.do(ANN, actions.log_metrics, run.id, [point(step) for step in range(first, min(first + 500, 1001))])
    steps = [one.step for one in desk.ask(None, actions.get_metrics, run.id).items]
    assert len(steps) <= 100
    assert steps[-1] == 1000
    assert {after - before for before, after in itertools.pairwise(steps)} == {11}


def test_a_page_of_long_rollouts_ends_early_and_none_is_left_out(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions.queries, "MOST_LETTERS", 250)
    run = begun(desk)
    desk.do(ANN, actions.log_rollouts, run.id, [rollout(response=f"{number}" * 100) for number in range(7)])
    seen: list[str] = []
    cursor, pages = None, 0
    while True:
        page = desk.ask(None, actions.list_rollouts, run.id, cursor=cursor, limit=5)
        assert 1 <= len(page.items) <= 3
        seen += [row.response[0] for row in page.items]
        cursor, pages = page.next, pages + 1
        if cursor is None:
            break
    assert seen == list("0123456")
    assert pages > 2

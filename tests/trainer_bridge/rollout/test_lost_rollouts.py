"""A rollout whose box, process or hub is lost on the way is played again; it is masked where that does not help."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from hub_client.client import Hub
from hub_client.errors import HubUnreachableError, PolicyError, SessionLostError
from hub_client.evaluation import lost_attempts
from hub_client.evaluation.harness_loader import open_harness
from hub_client.settings import ClientSettings
from schemas.kinds import PackageKind
from schemas.problem import Problem, ProblemCode
from schemas.task import Task
from schemas.verdict import ErrorKind
from tests.making.project import make_project
from tests.trainer_bridge.sessions_in_memory import Counting, SessionHub
from tests.trainer_bridge.test_real_client import STAIRS, TWO_MINDS, last_point
from trainer_bridge.build import _most_live
from trainer_bridge.loop import train
from trainer_bridge.reports.step_report import NoProgress, turn_metrics
from trainer_bridge.rollout.chat import ChatModel
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.rollouts import Draw
from trainer_bridge.rollout.scorer import Scorer
from trainer_bridge.rollout.worker import LiveEngine, PlayLimits, RolloutWorker

FULL = PolicyError("8 episodes", problem=Problem(title="", status=429, code=ProblemCode.TOO_MANY_REQUESTS, detail=""))
GONE = PolicyError("taken", problem=Problem(title="", status=403, code=ProblemCode.QUARANTINED, detail=""))


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(lost_attempts, "LOST_BOX_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(lost_attempts, "AWAY_PAUSES", (0.0, 0.0, 0.0))


@pytest.fixture
def collect(tiny):
    """Play two tasks two times each, in sessions of ``make``; the rollouts, and how many sessions were opened."""

    def play(make):
        hub = SessionHub(make)
        environment = hub.environments["test/counting"]
        environment.package = SimpleNamespace(reference="test/counting@1.0.0")
        draws = [Draw(0, "test/counting", Task.read(row)) for row in environment.tasks("train", limit=2)]
        with Scorer([environment], print) as scorer:
            worker = RolloutWorker(
                open_engine(tiny, slots=16), ChatModel(tiny, "tiny"), open_harness(hub, ""), [environment], scorer,
                torch.Generator().manual_seed(0), NoProgress(), PlayLimits(lockstep=True),
            )  # fmt: skip
            rollouts, _ = worker.collect(draws, 2, 4, Sampling(1.0))
        return rollouts, len(hub.played.opened)

    return play


def failing(error: Exception, times: int, where: str = "step"):
    """A session that fails in its second step, or in reset; the first ``times`` of all sessions of task 1."""
    left = [times]

    class Failing(Counting):
        def fail(self) -> None:
            if self.task["id"] == "train-1" and left[0]:
                left[0] -= 1
                raise error

        def reset(self):
            if where == "reset":
                self.fail()
            return super().reset()

        def step(self, message):
            if where == "step" and self.digits:
                self.fail()
            return super().step(message)

    return Failing


def told(rollouts):
    return [(one.draw.task.id, one.text, one.verdict.rewards, one.sequences) for one in rollouts]


@pytest.mark.parametrize(
    ("error", "where"),
    [
        (SessionLostError("the session's box was lost"), "step"),
        (SessionLostError("the session's box was lost"), "reset"),
        (HubUnreachableError("the connection to the episode is lost"), "step"),
        (HubUnreachableError("the connection to the episode is lost"), "reset"),
        (FULL, "reset"),
    ],
)
def test_what_was_lost_is_played_again_to_the_same_tokens(error, where, collect):
    undisturbed, opened = collect(Counting)
    rollouts, opened_again = collect(failing(error, 2, where))
    assert [one[:3] for one in told(rollouts)] == [one[:3] for one in told(undisturbed)]
    for one, other in zip(rollouts, undisturbed, strict=True):
        assert [part.tokens for part in one.sequences] == [part.tokens for part in other.sequences], (
            "no call of the lost"
        )
    assert (opened, opened_again) == (4, 6)
    assert sorted(one.lost for one in rollouts) in ([0, 0, 1, 1], [0, 0, 0, 2]), "each lost try is counted"


@pytest.mark.parametrize(
    ("error", "tries", "kind"),
    [
        (SessionLostError("the session's process died"), 3, ErrorKind.VERIFIER_FAILED),
        (HubUnreachableError("no answer"), 4, ErrorKind.HOST),
    ],
)
def test_what_is_lost_in_every_try_is_masked_and_never_0_and_the_others_go_on(error, tries, kind, collect):
    rollouts, opened = collect(failing(error, 1000))
    broken = [one for one in rollouts if one.draw.task.id == "train-1"]
    assert [(one.verdict.rewards, one.verdict.error.kind) for one in broken] == [({"digits": None}, kind)] * 2
    assert all(one.verdict.error is None for one in rollouts if one.draw.task.id == "train-0")
    assert opened == 2 + 2 * tries
    assert [one.lost for one in broken] == [tries, tries]


def test_a_policy_that_ends_its_box_by_what_it_says_earns_nothing_by_it_and_is_seen(collect):
    """The same words come again in every try: no other draw is tried until one survives. The lost tries are told."""
    said = {}

    class EndedByWords(Counting):
        def step(self, message):
            said.setdefault((self.task["id"], len(self.digits)), []).append(message["content"])
            if self.task["id"] == "train-1" and len(self.digits) == 1:
                raise SessionLostError("the session's process died")
            return super().step(message)

    rollouts, _ = collect(EndedByWords)
    assert len(set(said["train-1", 1])) == 2, "of two samples, each in three tries"
    assert len(said["train-1", 1]) == 6
    assert [one.verdict.rewards for one in rollouts if one.draw.task.id == "train-1"] == [{"digits": None}] * 2
    assert turn_metrics(rollouts)["rollout/lost_tries"] == 6 / 4


def test_what_no_other_try_would_escape_ends_the_run(collect):
    with pytest.raises(PolicyError, match="taken"):
        collect(failing(GONE, 1000, "reset"))


@pytest.mark.parametrize(("most", "session", "live"), [(8, "x:Session", 8), (0, "x:Session", 20), (8, None, 20)])
def test_no_more_rollouts_live_than_there_may_be_sessions(most, session, live, make_settings):
    """A hub refused the 25th episode of an account, and that ended the run."""
    hub = SimpleNamespace(runner=lambda: SimpleNamespace(most_sessions=most))
    pool = SimpleNamespace(environment=SimpleNamespace(manifest=SimpleNamespace(session=session)))
    assert _most_live(make_settings(max_live_rollouts=20), hub, [pool]) == live


def boxes() -> list[int]:
    """The boxes that this process has started."""
    tasks = Path("/proc/self/task").iterdir()
    children = [pid for task in tasks for pid in (task / "children").read_text().split()]
    return [int(pid) for pid in children if b"guest/__main__.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_boxes_that_are_killed_in_the_middle_of_their_rollouts_cost_no_sample(monkeypatch, tmp_path, make_settings):
    """Those of the session, of the harness and of the verifier at once, by kill -9. All samples were lost before."""
    monkeypatch.setenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", "1")
    whole = {**STAIRS, "__init__.py": STAIRS["__init__.py"].replace("faults[index % 6]", '""')}
    stairs = make_project(tmp_path / "stairs", "mallory/stairs", PackageKind.ENVIRONMENT, session=True, files=whole)
    minds = make_project(tmp_path / "minds", "mallory/two-minds", PackageKind.HARNESS, files=TWO_MINDS)
    calls, killed, write = iter(range(1000)), [], LiveEngine.write
    others = boxes()  # of a sandbox that several tests share

    async def deadly(self, request):
        if next(calls) == 9:  # of the second of six calls of each of the four rollouts
            killed.extend(set(boxes()) - set(others))
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
        return await write(self, request)

    monkeypatch.setattr(LiveEngine, "write", deadly)
    settings = make_settings(
        targets=(str(stairs),), harness=str(minds), steps=1, eval_tasks=0, recipe="rloo", prompts_per_step=2,
        num_generations=2, max_completion_length=4, rollouts_per_step=12,
    )  # fmt: skip
    client = ClientSettings.load(cache_dir=tmp_path / "cache", offline=True, backend="local", run_at="here")
    with Hub(settings=client) as hub:
        result = train(settings, hub=hub, report=False)
    assert len(killed) >= 2, "the session's and the harness's"
    metrics = last_point(settings)
    assert metrics["rewards/height/unjudged"] == 0
    assert metrics["rollout/turns"] == 6
    assert metrics["rollout/lost_tries"] == result.lost_tries / 4 > 0
    assert metrics["mismatch_kl/mean"] < 1e-6

"""The executor over real Docker boxes; and what it says when there is no engine."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from hub_server.adapters.sandbox_executor import SandboxExecutor
from hub_server.errors import ExecutionUnavailableError, InvalidRequestError
from hub_server.ports.executor import ExecutableRelease
from hub_server.settings import SandboxChoice
from sandbox.backends.scripted import ScriptedBackend
from sandbox.errors import SandboxUnavailableError
from sandbox.sandbox import Sandbox
from schemas.evidence.audit_plan import AuditPlan, ReplayCount
from schemas.verdict import ErrorKind, ScoreRequest, Verdict
from schemas.wheels.wheel import read_wheel
from tests.making.hub import make_package
from tests.making.wheel import MANIFEST

CODE = """
def verify(task, response):
    if response == "raise":
        raise ValueError("no idea")
    return {"correct": float(response.strip() == str(task["answer"]))}

def generate(split, seed, index):
    return {"id": f"{split}-{seed}-{index}", "prompt": f"{index}+{seed}?", "answer": index + seed}

class Session:
    def reset(self, task, seed):
        self.turns = []
        return {"messages": [{"role": "user", "content": task["prompt"]}], "tools": []}
    def step(self, message):
        if message["content"] == "raise":
            raise ValueError("no idea")
        self.turns.append(message["content"])
        return {"messages": [], "done": len(self.turns) > 1}
    def state(self):
        return {"turns": self.turns}
"""
EVERYTHING = MANIFEST.replace(
    'train = "tasks.jsonl"', 'train = "tasks.jsonl", test = "alice_small_sums:generate"'
).replace('tags = ["math"]', 'session = "alice_small_sums:Session"\ntags = ["math"]')
TASK = {"id": "t1", "prompt": "1+1?", "answer": 2}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> ExecutableRelease:
    data = make_package(manifest=EVERYTHING, code=CODE)
    path = tmp_path_factory.mktemp("wheels") / "alice_small_sums-1.0.0-py3-none-any.whl"
    path.write_bytes(data)
    contents = read_wheel(data)
    return ExecutableRelease("alice/small-sums", "1.0.0", contents.digest, path, contents.manifest)


@pytest.fixture(scope="module")
def executor() -> Iterator[SandboxExecutor]:
    made = SandboxExecutor(SandboxChoice())
    yield made
    made.close()


@pytest.mark.docker
def test_responses_are_judged_in_a_box(executor: SandboxExecutor, release: ExecutableRelease) -> None:
    assert executor.unavailable_reason() is None
    calls = [
        ScoreRequest(id=name, task=TASK, response=response)
        for name, response in (("right", "2"), ("wrong", "3"), ("broken", "raise"))
    ]
    verdicts = dict(executor.score(release, calls))
    assert verdicts["right"].rewards == {"correct": 1.0}
    assert verdicts["wrong"].rewards == {"correct": 0.0}
    assert verdicts["broken"].rewards == {"correct": None}
    assert 'verihub_sandbox_calls_total{level="call",outcome="ok",package="alice/small-sums"}' in executor.metrics()
    assert verdicts["broken"].error is not None
    assert verdicts["broken"].error.kind is ErrorKind.VERIFIER_FAILED


@pytest.mark.docker
def test_a_release_is_measured_with_its_progress(executor: SandboxExecutor, release: ExecutableRelease) -> None:
    contents = read_wheel(release.wheel.read_bytes())
    tasks = {task.id: task.model_dump(mode="json") for task in contents.tasks("train")}
    seen: list[tuple[int, int]] = []
    plan = AuditPlan(release, "alice/small-sums@1.0.0", contents.cases(), tasks, repeats=2)
    report = executor.audit(plan, lambda done, total: seen.append((done, total)))
    assert (report.overall.tp, report.overall.tn) == (1, 1)
    assert report.determinism.repeats == 2
    assert report.image_digest
    assert seen
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.docker
def test_a_generated_split_comes_out_of_a_box(executor: SandboxExecutor, release: ExecutableRelease) -> None:
    rows = executor.tasks(release, "test", start=5, count=3, seed=10)
    assert [(row["id"], row["answer"]) for row in rows] == [("test-10-5", 15), ("test-10-6", 16), ("test-10-7", 17)]


@pytest.mark.docker
def test_an_episode_branches_and_an_authors_fault_is_the_requests(
    executor: SandboxExecutor, release: ExecutableRelease
) -> None:
    def say(text: str) -> dict[str, Any]:
        return {"role": "assistant", "content": text}

    with executor.session(release, TASK, seed=0) as session:
        assert session.reset()["messages"][0]["content"] == "1+1?"
        session.step(say("one"))
        branch = session.branch()
        assert session.step(say("two"))["done"] is True
        branch.step(say("three"))
        assert session.state() == {"turns": ["one", "two"]}
        assert branch.state() == {"turns": ["one", "three"]}
        session.undo()
        assert session.state() == {"turns": ["one"]}
        branch.close()
        with pytest.raises(InvalidRequestError, match="no idea"):
            session.step(say("raise"))


def test_without_an_engine_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, release: ExecutableRelease
) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_DOCKER_URL", f"unix://{tmp_path}/no.sock")
    executor = SandboxExecutor(SandboxChoice())
    try:
        reason = executor.unavailable_reason()
        assert reason is not None
        assert "start it" in reason
        with pytest.raises(ExecutionUnavailableError):
            list(executor.score(release, [ScoreRequest(id="x", task=TASK, response="2")]))
        with pytest.raises(ExecutionUnavailableError):
            executor.tasks(release, "test", start=0, count=1, seed=0)
    finally:
        executor.close()
        gc.collect()  # a socket left open would be warned about here, and not in another test


def test_strangers_are_not_told_where_the_engine_is_and_the_log_is_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, release: ExecutableRelease
) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_DOCKER_URL", "tcp://127.0.0.1:9")
    executor = SandboxExecutor(SandboxChoice())
    try:
        reasons = [executor.unavailable_reason() or "" for _ in range(2)]
        with pytest.raises(ExecutionUnavailableError) as caught:
            list(executor.score(release, [ScoreRequest(id="x", task=TASK, response="2")]))
    finally:
        executor.close()
        gc.collect()  # a socket left open would be warned about here, and not in another test
    assert all("start it" in told and "127.0.0.1" not in told for told in (*reasons, caught.value.detail))
    assert len([line for line in caplog.messages if "127.0.0.1" in line and "start it" in line]) == 1


def test_a_refusal_names_the_setting_that_a_hub_reads() -> None:
    executor = SandboxExecutor(SandboxChoice(backend="local"))
    reason = executor.unavailable_reason() or ""
    executor.close()
    assert "VERIHUB_SERVER_SANDBOX__TRUSTED=true" in reason
    assert "TRUST_LOCAL_CODE" not in reason


def test_a_closed_executor_runs_nothing(release: ExecutableRelease) -> None:
    executor = SandboxExecutor(SandboxChoice())
    executor.close()
    executor.close()
    assert executor.unavailable_reason() == "The hub is stopping."


STATEFUL = """
seen = []

def verify(task, response):
    seen.append(response)
    return {"correct": float(len(seen) % 2)}
"""


@pytest.mark.docker
def test_a_verifier_that_keeps_state_is_found_by_replaying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_REPLAY_FRACTION", "1")
    data = make_package(manifest=MANIFEST + '\n[sandbox]\nisolation = "batch"\n', code=STATEFUL)
    path = tmp_path / "alice_small_sums-1.0.0-py3-none-any.whl"
    path.write_bytes(data)
    contents = read_wheel(data)
    release = ExecutableRelease("alice/small-sums", "1.0.0", contents.digest, path, contents.manifest)
    executor = SandboxExecutor(SandboxChoice())
    try:
        assert executor.take_replays(release) == ReplayCount(0, 0)
        calls = [ScoreRequest(id=str(number), task=TASK, response="2") for number in range(6)]
        assert len(list(executor.score(release, calls))) == 6
        deadline, found = time.monotonic() + 60, ReplayCount(0, 0)
        while found.compared < 6 and time.monotonic() < deadline:
            more = executor.take_replays(release)
            found = ReplayCount(found.compared + more.compared, found.mismatches + more.mismatches)
            time.sleep(0.05)
        assert found.compared == 6
        assert found.mismatches >= 1
        assert executor.take_replays(release) == ReplayCount(0, 0)
    finally:
        executor.close()


ENGINE = "HTTPConnectionPool(host='10.1.2.3', port=2375): refused at tcp://10.1.2.3:2375"


@pytest.fixture
def broken() -> Iterator[SandboxExecutor]:
    """Its engine answered when it was asked, and fails when a box is opened."""
    refused = SandboxUnavailableError(f"no engine answers ({ENGINE})")
    made = SandboxExecutor(SandboxChoice())
    made._make = lambda: Sandbox(ScriptedBackend(refuses=refused))
    yield made
    made.close()


def test_a_verdict_names_no_engine_to_strangers(broken: SandboxExecutor, release: ExecutableRelease) -> None:
    """The engine's address stood in the verdict of whoever judged while it failed, an account or not."""
    requests = [ScoreRequest(id=name, task=TASK, response="2") for name in "ab"]

    async def arriving() -> AsyncIterator[ScoreRequest]:
        for request in requests:
            yield request

    async def streamed() -> list[Verdict]:
        return [verdict async for _, verdict in broken.score_stream(release, arriving())]

    verdicts = [*(verdict for _, verdict in broken.score(release, requests)), *asyncio.run(streamed())]
    assert len(verdicts) == 4
    for verdict in verdicts:
        assert verdict.error is not None
        assert verdict.error.kind is ErrorKind.HOST
        assert "no engine answers" in verdict.error.message
        assert "10.1.2.3" not in verdict.error.message


def test_a_report_names_no_engine(broken: SandboxExecutor, release: ExecutableRelease) -> None:
    contents = read_wheel(release.wheel.read_bytes())
    tasks = {task.id: task.model_dump(mode="json") for task in contents.tasks("train")}
    plan = AuditPlan(release, "alice/small-sums@1.0.0", contents.cases(), tasks, repeats=1)
    report = broken.audit(plan, lambda *_: None)
    told = report.model_dump_json()
    assert "no engine answers" in told
    assert "10.1.2.3" not in told

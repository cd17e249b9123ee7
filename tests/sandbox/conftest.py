"""One sandbox a backend for the whole run: starting boxes is what costs time."""

import asyncio
import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.backends import make_backend
from sandbox.backends.docker.engine import DockerEngine
from sandbox.backends.scripted import ScriptedBackend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.harm.own_engine import OwnEngine, what_is_missing
from sandbox.checks.samples import TASK, Sample
from sandbox.guest import solution
from sandbox.images.base import ensure_base
from sandbox.images.settings import ImageSettings
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from schemas.verdict import Verdict

SETTINGS = SandboxSettings(
    trust_local_code=True,
    replay_fraction=0.0,
    boxes_per_package=2,
    max_boxes=24,
    grace_seconds=30.0,  # on a busy machine a guest may need long to end a call whose time is over: no test's matter
)


@pytest.fixture(autouse=True)
def every_failure_has_an_owner(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """asyncio reports an exception that nobody took only in its log, often when the task is collected: here it fails."""
    yield
    gc.collect(1)  # what this test has made lies in the young generations
    lost = [record.getMessage() for record in caplog.get_records("call") if record.name == "asyncio"]
    assert not [message for message in lost if "never retrieved" in message or "exception" in message.lower()], lost


@pytest.fixture(autouse=True)
def no_channel_to_a_host_outlives_a_test() -> Iterator[None]:
    """A zygote's child is connected to its host in the process that makes it: in some tests, this one."""
    before = solution._ask[:]
    yield
    solution._ask[:] = before


@pytest.fixture(scope="session")
def local_sandbox() -> Iterator[BlockingSandbox]:
    with BlockingSandbox(make_backend("local", SETTINGS), SETTINGS) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def docker_sandbox() -> Iterator[BlockingSandbox]:
    with BlockingSandbox(make_backend("docker", SETTINGS), SETTINGS) as sandbox:
        yield sandbox


@pytest.fixture(params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def any_sandbox(request: pytest.FixtureRequest) -> BlockingSandbox:
    return request.getfixturevalue(f"{request.param}_sandbox")


@pytest.fixture
def equal_source(tmp_path: Path) -> Source:
    """A package that compares; for the scripted backend, which never runs it."""
    return Sample("def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n").source(
        tmp_path
    )


@pytest.fixture
def scripted_backend() -> ScriptedBackend:
    return ScriptedBackend(lambda task, response: {"correct": float(response == task["answer"])})


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Another event loop, which runs in a thread."""
    other = asyncio.new_event_loop()
    thread = threading.Thread(target=other.run_forever, daemon=True)
    thread.start()
    yield other
    asyncio.run_coroutine_threadsafe(_drained(), other).result()
    other.call_soon_threadsafe(other.stop)
    thread.join()
    other.close()


async def _drained() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)


def judge_one(sandbox: BlockingSandbox, source: Source, response: str, **more: object) -> Verdict:
    """One verdict."""
    [(_, verdict)] = sandbox.score(source, [Call("1", TASK, response=response)], **more)  # type: ignore[arg-type]
    return verdict


@pytest.fixture(scope="session")
def engine_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnEngine]:
    """An engine for tests that harm engines."""
    missing = what_is_missing()
    if missing:
        pytest.skip(f"no engine of one's own: {missing}")
    shared = DockerEngine()
    base = ensure_base(shared, ImageSettings()).references[0]
    shared.close()
    engine = OwnEngine(tmp_path_factory.mktemp("engine"))
    engine.mount()
    try:
        engine.start()
        engine.load(base)
        yield engine
    finally:
        engine.stop()
        engine.unmount()


@pytest.fixture
def own_engine(engine_alone: OwnEngine) -> Iterator[OwnEngine]:
    """Alive before and after each test."""
    yield engine_alone
    engine_alone.free_disk()
    engine_alone.stop()
    engine_alone.start()
    assert engine_alone.boxes() == []

"""The service over a scripted backend: what client and server rely on, whichever errors and releases they speak of."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.samples import TASK
from sandbox.errors import PoolBusyError, SandboxError, SandboxUnavailableError, VerifierFailedError
from sandbox.interface import Source
from sandbox.sandbox import Sandbox
from sandbox.service import SandboxService
from sandbox.settings import SandboxSettings
from schemas.comparison import ComparisonPlan, SideCases
from schemas.evidence.audit_plan import AuditPlan, ReplayCount
from schemas.evidence.cases import AuditCase
from schemas.verdict import ScoreRequest

SETTINGS = SandboxSettings(replay_fraction=0.0)


class OursError(Exception):
    """What a caller of the service raises; the cause is the sandbox's error."""


@dataclass(frozen=True)
class Wheel:
    """A caller's idea of a release."""

    digest: str
    source: Source


@dataclass
class Engine:
    """What tests change: whether the engine answers, and how often it and a release's source were asked for."""

    fault: Exception | None = None
    hangs: Callable[[], Awaitable[None]] | None = None
    asked: int = 0
    found: int = 0

    def check(self) -> None:
        self.asked += 1
        if self.fault is not None:
            raise self.fault


class _Sandbox(Sandbox):
    def __init__(self, engine: Engine, backend: ScriptedBackend) -> None:
        super().__init__(backend, SETTINGS)
        self._engine = engine

    async def check(self) -> None:
        self._engine.check()
        if self._engine.hangs is not None:
            await self._engine.hangs()


Make = Callable[..., SandboxService[Wheel]]


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def make(engine: Engine, scripted_backend: ScriptedBackend) -> Iterator[Make]:
    made: list[SandboxService[Wheel]] = []

    def find(wheel: Wheel) -> Source:
        engine.found += 1
        return wheel.source

    def make(backend: ScriptedBackend = scripted_backend, **more: Any) -> SandboxService[Wheel]:
        service = SandboxService(lambda: _Sandbox(engine, backend), find, lambda error: OursError(str(error)), **more)
        made.append(service)
        return service

    yield make
    for service in made:
        service.close()


@pytest.fixture
def wheel(equal_source: Source) -> Wheel:
    return Wheel(equal_source.digest, equal_source)


def requests(count: int) -> list[ScoreRequest]:
    return [ScoreRequest(id=str(number), task=TASK, response=str(number)) for number in range(count)]


def right(verdicts: dict[str, Any]) -> list[str]:
    return [ident for ident, verdict in verdicts.items() if verdict.rewards == {"correct": 1.0}]


def test_requests_are_judged_as_they_came_from_the_user(make: Make, wheel: Wheel) -> None:
    service = make()
    verdicts = dict(service.score(wheel, requests(4)))
    assert len(verdicts) == 4
    assert right(verdicts) == ["2"]

    async def arriving() -> AsyncIterator[ScoreRequest]:
        for request in requests(4):
            yield request

    async def stream() -> dict[str, Any]:
        return {ident: verdict async for ident, verdict in service.score_stream(wheel, arriving())}

    assert asyncio.run(stream()) == verdicts


def test_tasks_that_hold_equal_things_are_not_taken_for_one(make: Make, wheel: Wheel) -> None:
    """True equals 1 in Python and not in JSON."""
    backend = ScriptedBackend(lambda task: {"correct": float(task["x"] is True)})
    calls = [ScoreRequest(id=str(number), task={"x": x}, response="") for number, x in enumerate((1, True, 1.0, True))]
    assert sorted(right(dict(make(backend).score(wheel, calls)))) == ["1", "3"]


def test_a_request_without_a_task_is_judged_on_an_empty_one(make: Make, wheel: Wheel) -> None:
    backend = ScriptedBackend(lambda task: {"correct": float(task == {})})
    assert right(dict(make(backend).score(wheel, [ScoreRequest(id="a", response="")]))) == ["a"]


def test_every_error_of_the_sandbox_is_the_callers_own(make: Make, wheel: Wheel) -> None:
    service = make(ScriptedBackend(refuses=SandboxUnavailableError("no engine")))
    for ask in (
        lambda: service.call_tool(wheel, "add", {}),
        lambda: service.session(wheel, TASK, seed=0).__enter__(),
    ):
        with pytest.raises(OursError) as raised:
            ask()
        assert isinstance(raised.value.__cause__, SandboxError)


def test_an_error_while_a_source_is_found_is_the_callers_own_too(engine: Engine, wheel: Wheel) -> None:
    def find(_: Wheel) -> Source:
        raise VerifierFailedError("the lock names a source archive")

    service = SandboxService(
        lambda: _Sandbox(engine, ScriptedBackend()), find, lambda error: OursError(type(error).__name__)
    )
    with pytest.raises(OursError, match="VerifierFailedError"):
        list(service.score(wheel, requests(1)))
    service.close()


def test_an_error_of_the_callers_own_iterator_stays_as_it_is(make: Make, wheel: Wheel) -> None:
    def broken() -> Iterator[ScoreRequest]:
        yield requests(1)[0]
        raise LookupError("no such task")

    with pytest.raises(LookupError, match="no such task"):
        list(make().score(wheel, broken()))


def test_a_stream_whose_service_is_closed_ends_in_the_callers_words(make: Make, wheel: Wheel) -> None:
    service = make()

    async def endless() -> AsyncIterator[ScoreRequest]:
        yield requests(1)[0]
        await asyncio.Event().wait()

    async def work() -> None:
        stream = service.score_stream(wheel, endless())
        await anext(stream)
        closing = asyncio.create_task(asyncio.to_thread(service.close))
        with pytest.raises(OursError, match="closed while it judged"):
            await anext(stream)
        await closing

    asyncio.run(work())


def test_a_source_is_found_once_and_again_when_its_wheel_is_gone(make: Make, engine: Engine, wheel: Wheel) -> None:
    service = make()
    for _ in range(3):
        list(service.score(wheel, requests(1)))
    assert engine.found == 1
    wheel.source.wheel.unlink()
    list(service.score(wheel, requests(1)))
    assert engine.found == 2


def test_sources_do_not_pile_up(make: Make, engine: Engine, wheel: Wheel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.service._KEPT_SOURCES", 2)
    service = make()
    wheels = [Wheel(f"sha256:{number}", wheel.source) for number in range(3)]
    for one in (wheels[0], wheels[1], wheels[0], wheels[2]):
        service.source(one)
    assert engine.found == 3
    service.source(wheels[0])  # used more recently than wheels[1]
    assert engine.found == 3
    service.source(wheels[1])
    assert engine.found == 4


def test_an_engine_that_is_away_is_asked_again_and_found_when_it_is_back(
    make: Make, engine: Engine, wheel: Wheel
) -> None:
    engine.fault = SandboxUnavailableError("start Docker")
    service = make(ask_again_seconds=0.0)
    assert service.unavailable_reason() == "start Docker"
    with pytest.raises(OursError, match="start Docker"):
        list(service.score(wheel, requests(1)))
    with pytest.raises(OursError, match="start Docker"):
        service.check()
    engine.fault = None
    assert service.unavailable_reason() is None
    assert len(list(service.score(wheel, requests(1)))) == 1


def test_an_engine_that_answered_is_not_asked_with_every_call(make: Make, engine: Engine, wheel: Wheel) -> None:
    service = make()
    for _ in range(5):
        list(service.score(wheel, requests(1)))
    assert engine.asked == 1


def test_what_is_closed_says_so_and_counts_nothing(make: Make, wheel: Wheel) -> None:
    service = make(when_closed="The hub is stopping.")
    assert service.metrics() == ""
    assert service.take_replays(wheel) == ReplayCount(0, 0)
    list(service.score(wheel, requests(1)))
    assert "verihub_sandbox_calls_total" in service.metrics()
    service.close()
    service.close()
    assert service.unavailable_reason() == "The hub is stopping."
    assert service.metrics() == ""
    with pytest.raises(OursError, match="stopping"):
        list(service.score(wheel, requests(1)))


@pytest.mark.parametrize("is_known", [False, True], ids=["not yet asked", "asked before"])
def test_an_engine_that_hangs_does_not_hold_the_end(
    make: Make, engine: Engine, monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    """Who closes waited for who asked the engine, thirty seconds for Docker: longer than a stopping hub is given."""
    monkeypatch.setattr("sandbox.service.CLOSING_SECONDS", 0.1)
    service = make(ask_again_seconds=0.0, when_closed="The hub is stopping.")
    if is_known:
        assert service.unavailable_reason() is None
    may_answer, asked = asyncio.Event(), threading.Event()
    said: list[str | None] = []

    async def hang() -> None:
        asked.set()
        await may_answer.wait()

    engine.hangs = hang
    asker = threading.Thread(target=lambda: said.append(service.unavailable_reason()))
    asker.start()
    assert asked.wait(20)
    service.close()
    asker.join(20)
    assert said == ["The hub is stopping."]
    assert service.unavailable_reason() == "The hub is stopping."


def test_what_replaying_has_found_is_told_once(make: Make, wheel: Wheel) -> None:
    service = make()
    list(service.score(wheel, requests(1)))
    replays = service._opened().replays(wheel.source)
    replays.compared, replays.mismatch_count = 5, 1
    assert service.take_replays(wheel) == ReplayCount(5, 1)
    assert service.take_replays(wheel) == ReplayCount(0, 0)
    replays.compared, replays.mismatch_count = 7, 1
    assert service.take_replays(wheel) == ReplayCount(2, 0)
    replays.compared, replays.mismatch_count = 3, 2  # the sandbox forgot the release meanwhile
    assert service.take_replays(wheel) == ReplayCount(3, 2)


def test_a_verifier_is_audited_and_compared(make: Make, wheel: Wheel) -> None:
    service, tasks = make(), {"t1": TASK}
    cases = [
        AuditCase(id="a", task_id="t1", response="2", label="correct"),
        AuditCase(id="b", task_id="t1", response="3", label="incorrect"),
    ]
    seen: list[tuple[int, int]] = []
    plan = AuditPlan(wheel, "sample/sample@1.0.0", cases, tasks, repeats=2, probes=False)
    report = service.audit(plan, lambda done, total: seen.append((done, total)))
    assert (report.overall.tp, report.overall.tn, report.determinism.repeats, report.probes) == (1, 1, 2, {})
    assert seen[-1] == (4, 4)
    suites = [SideCases("sample", cases, tasks)]
    found = service.compare(ComparisonPlan(wheel, wheel, suites, ("one", "two")), lambda _done, _total: None)
    assert (found.first, found.second, found.disagreement_count) == ("one", "two", 0)
    assert found.judged == found.agreed >= 2


def test_a_busy_pool_is_told_to_whoever_opens_an_episode(
    make: Make, wheel: Wheel, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make()

    def session(*_: Any, **__: Any) -> Any:
        raise PoolBusyError("too many episodes")

    monkeypatch.setattr(Sandbox, "session", session)
    with pytest.raises(OursError, match="too many episodes"), service.session(wheel, TASK, seed=0):
        pass


def test_tasks_that_nobody_has_a_box_for_are_waited_for_as_long_as_said(
    make: Make, wheel: Wheel, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []

    async def waits(*_: Any, **__: Any) -> list[dict[str, Any]]:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append("nobody goes on")
        return []

    monkeypatch.setattr(Sandbox, "tasks", waits)
    with pytest.raises(OursError) as caught:
        make().tasks(wheel, "train", start=0, count=1, seed=0, seconds=0.01)
    assert isinstance(caught.value.__cause__, PoolBusyError)
    assert ended == ["nobody goes on"]


def test_threads_may_open_it_at_the_same_time(make: Make, engine: Engine, wheel: Wheel) -> None:
    service = make()
    together, results = threading.Barrier(5), []

    def work() -> None:
        together.wait()
        results.append(len(list(service.score(wheel, requests(20)))))

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [20] * 5
    assert engine.asked == 1


def test_a_subclass_is_asked_whenever_somebody_waits_for_a_box(
    engine: Engine, scripted_backend: ScriptedBackend, wheel: Wheel
) -> None:
    """Solutions that a verifier asks for, and sessions of tools, were waited for without it."""
    asked: list[bool] = []

    class Watched(SandboxService[Wheel]):
        async def _attended(self, has_box: Callable[[], bool], work: Coroutine[Any, Any, Any]) -> Any:
            asked.append(has_box())
            work.close()
            raise SandboxUnavailableError("silent")

    service = Watched(
        lambda: _Sandbox(engine, scripted_backend), lambda found: found.source, lambda error: OursError(str(error))
    )
    service.check()
    sandbox = service._sandbox
    assert sandbox is not None
    assert isinstance(sandbox.inner, Sandbox)

    async def solve(inner: Sandbox) -> object:
        return await inner.pool.solve(b"{}")

    with pytest.raises(SandboxUnavailableError, match="silent"):
        sandbox.run(solve(sandbox.inner))
    with pytest.raises(SandboxUnavailableError, match="silent"):
        service.tool_session([wheel], None, 0).tools()
    assert asked == [False, False]
    service.close()

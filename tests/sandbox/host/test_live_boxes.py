"""The boxes that live: opened fairly, counted as the kernel counts them, ended when nobody needs them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.checks.samples import Sample
from sandbox.errors import BoxLostError
from sandbox.host.box_limits import BoxLimits
from sandbox.host.guest_config import verifier_resources
from sandbox.host.handshake import ImportEndedError
from sandbox.host.live_boxes import Answering, LiveBoxes
from sandbox.host.metrics import SandboxMetrics
from sandbox.interface import BoxRole, BoxSpec, BoxUsage, Connection, Receiver, Source
from sandbox.settings import SandboxSettings
from tests.sandbox.clocks import HandClock, run_by_hand
from tests.sandbox.guests import ToldBackend, ToldConnection

SETTINGS = SandboxSettings(max_boxes=4)
LIMITS = BoxLimits(
    grace_seconds=1.0,
    start_seconds=5.0,
    solution_seconds=5.0,
    solution_patience_seconds=5.0,
    most_call_groups=100,
    lifetime_seconds=1000.0,
)


class MeasuredConnection(ToldConnection):
    """A box of which the kernel has counted what the test says."""

    counted = BoxUsage(cpu_seconds=0.0, memory_bytes=0, peak_memory_bytes=0, oom_kills=0)

    def usage(self) -> BoxUsage:
        return self.counted


class EndingConnection(ToldConnection):
    """A box that ends as soon as it is told what to import."""

    def _take(self, kind: int, ident: int, payload: bytes) -> None:
        self._receiver.closed("it ended")


class KilledConnection(EndingConnection):
    """The same by somebody's SIGKILL, as its backend can tell."""

    async def was_killed(self) -> bool:
        return True


class Backend(ToldBackend):
    """Boxes that import, or end while they do: ``ends`` of those that are opened next."""

    def __init__(self) -> None:
        super().__init__(lambda *_: None)
        self.ends = 0
        self.ended: type[EndingConnection] = EndingConnection

    async def open(self, spec: BoxSpec, receiver: Receiver) -> Connection:
        if self.ends:
            self.ends -= 1
            return self.ended(self, spec, receiver)
        connection = MeasuredConnection(self, spec, receiver)
        self.connections.append(connection)
        return connection


def with_boxes(source: Source, test: Callable[[LiveBoxes, Backend, BoxSpec], Awaitable[None]]) -> SandboxMetrics:
    metrics = SandboxMetrics()

    async def run() -> None:
        backend = Backend()
        live = LiveBoxes(backend, SETTINGS, metrics, HandClock(), lambda _: Answering())
        await test(live, backend, BoxSpec(BoxRole.VERIFIER, verifier_resources(source, SETTINGS), source))
        await live.aclose()
        assert live.by_state() == {}
        assert all(connection.is_killed for connection in backend.connections)

    run_by_hand(run())
    return metrics


class SlowToGo(ToldConnection):
    """A box whose process or container is gone only when a test says so."""

    may_go = asyncio.Event()
    is_gone = False

    async def kill(self) -> None:
        await super().kill()
        await self.may_go.wait()
        self.is_gone = True


@pytest.mark.parametrize("how", ["its line broke", "somebody who was cancelled ended it"])
def test_closing_waits_for_boxes_that_were_ending_before(
    equal_source: Source, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Else the event loop stops, and what has not been reaped or removed by then stays: a process, or a container."""
    monkeypatch.setattr(SlowToGo, "may_go", asyncio.Event())
    monkeypatch.setattr(f"{__name__}.MeasuredConnection", SlowToGo)

    async def test(live: LiveBoxes, backend: Backend, spec: BoxSpec) -> None:
        box = await live.open(spec, LIMITS)
        [connection] = backend.connections
        assert isinstance(connection, SlowToGo)
        if how == "its line broke":
            box.closed("the process ended")
        else:
            killing = asyncio.ensure_future(box.kill("enough"))
            await asyncio.sleep(0)
            killing.cancel()
            await asyncio.gather(killing, return_exceptions=True)
        assert live.by_state() == {}
        closing = asyncio.ensure_future(live.aclose())
        for _ in range(5):
            await asyncio.sleep(0)
        assert not closing.done()
        connection.may_go.set()
        await closing
        assert connection.is_gone

    with_boxes(equal_source, test)


@pytest.mark.parametrize("ends", [1, 3])
def test_a_box_that_ends_while_it_imports_is_tried_again(equal_source: Source, ends: int) -> None:
    async def test(live: LiveBoxes, backend: Backend, spec: BoxSpec) -> None:
        backend.ends = ends
        await live.open(spec, LIMITS)
        assert live.by_state() == {"idle": 1}
        assert (backend.ends, len(backend.connections)) == (0, 1)

    assert with_boxes(equal_source, test).total("boxes_opened") == 1


def test_a_fourth_end_is_the_packages_doing_unless_it_was_ready_before(equal_source: Source) -> None:
    async def test(live: LiveBoxes, backend: Backend, spec: BoxSpec) -> None:
        backend.ends = 4
        with pytest.raises(ImportEndedError):
            await live.open(spec, LIMITS)
        await live.open(spec, LIMITS)
        backend.ends = 4
        with pytest.raises(BoxLostError):
            await live.open(spec, LIMITS)
        assert live.by_state() == {"idle": 1}

    with_boxes(equal_source, test)


def test_so_many_releases_are_known_to_have_been_ready(
    equal_source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = Sample("def verify(task, response): return {'correct': 1.0}\n", name="second").source(tmp_path)
    monkeypatch.setattr("sandbox.host.live_boxes._KEPT_RELEASES", 1)

    async def test(live: LiveBoxes, backend: Backend, spec: BoxSpec) -> None:
        other = replace(spec, source=second)
        for one in (spec, other):
            await live.open(one, LIMITS)
        for one, fault in ((other, BoxLostError), (spec, ImportEndedError)):
            backend.ends = 4
            with pytest.raises(fault):
                await live.open(one, LIMITS)

    with_boxes(equal_source, test)


def test_a_fourth_end_by_a_kill_from_outside_is_the_machines_fault(equal_source: Source) -> None:
    """It was the package's, which then could not be loaded for ten seconds and was called broken."""

    async def test(live: LiveBoxes, backend: Backend, spec: BoxSpec) -> None:
        backend.ends, backend.ended = 4, KilledConnection
        with pytest.raises(BoxLostError, match="killed from outside"):
            await live.open(spec, LIMITS)
        backend.ends = 3
        await live.open(spec, LIMITS)
        assert live.by_state() == {"idle": 1}

    with_boxes(equal_source, test)


def test_what_the_kernel_counts_is_told_once(equal_source: Source) -> None:
    async def test(live: LiveBoxes, backend: Backend, spec: BoxSpec) -> None:
        box = await live.open(spec, LIMITS)
        connection = box.connection
        assert isinstance(connection, MeasuredConnection)
        for seconds, kills in ((1.5, 1), (1.5, 1), (2.0, 3)):
            connection.counted = BoxUsage(cpu_seconds=seconds, memory_bytes=7, peak_memory_bytes=7, oom_kills=kills)
            assert live.usages() == [(equal_source.manifest.id, connection.counted)]
        await box.kill("over")
        assert live.usages() == []

    metrics = with_boxes(equal_source, test)
    assert metrics.total("box_cpu_microseconds") == 2_000_000
    assert metrics.total("oom_kills") == 3


def test_only_shared_boxes_that_are_idle_long_enough_are_retired(equal_source: Source) -> None:
    async def test(live: LiveBoxes, backend: Backend, spec: BoxSpec) -> None:
        await live.open(spec, LIMITS)
        room = await live.open(BoxSpec(BoxRole.ENVIRONMENT, spec.resources, equal_source), LIMITS)
        room.vacate()
        assert await live.retire_idle(1.0) == 0
        assert await live.retire_idle(0.0) == 1
        assert live.by_state() == {"idle": 1}

    with_boxes(equal_source, test)

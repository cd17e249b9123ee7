"""Opening boxes for one release: how many, how often, and what is said when none can be had."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sandbox.errors import BoxLostError, HostFaultError, ImageMissingError, SandboxUnavailableError, VerifierFailedError
from sandbox.host.box import Box
from sandbox.host.box_limits import BoxLimits
from sandbox.host.metrics import SandboxMetrics
from sandbox.host.release_boxes import Fault, ReleaseBoxes
from sandbox.interface import BoxResources, BoxRole, BoxSpec
from sandbox.settings import SandboxSettings
from tests.sandbox.clocks import HandClock, run_by_hand, settled
from tests.sandbox.guests import ToldBackend

SETTINGS = SandboxSettings(boxes_per_package=4, host_retries=1, engine_patience_seconds=20.0)
SPEC = BoxSpec(BoxRole.VERIFIER, BoxResources(BoxRole.VERIFIER, 64))


class Bench:
    """The boxes of one release over an opener that fails while ``fault`` is set and waits for ``gate``."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.metrics = SandboxMetrics()
        self.gate = asyncio.Event()
        self.gate.set()
        self.fault: Exception | None = None
        self.asked = 0
        self.failures: list[Fault] = []
        self.has_work = True
        self.boxes = ReleaseBoxes(self.open_box, SETTINGS, self.metrics, self.clock, label="a/b")
        self.boxes.on_failure = self.failures.append
        self.boxes.has_work = lambda: self.has_work

    async def open_box(self) -> Box:
        self.asked += 1
        await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        self.metrics.count("boxes_opened", "a/b")
        return await Box.open(
            ToldBackend(lambda *_: None), SPEC, lambda _: {}, BoxLimits.of(SandboxSettings()), self.clock
        )


def with_bench(test: Callable[[Bench], Awaitable[None]]) -> None:
    async def run() -> None:
        bench = Bench()
        await test(bench)
        await bench.boxes.aclose()

    run_by_hand(run())


def test_two_who_ask_at_once_share_what_is_being_opened() -> None:
    async def test(bench: Bench) -> None:
        bench.gate.clear()
        asking = asyncio.gather(bench.boxes.ensure(3), bench.boxes.ensure(2))
        await settled()
        bench.gate.set()
        await asking
        assert (bench.asked, len(bench.boxes.serving)) == (3, 3)

    with_bench(test)


def test_no_more_than_are_allowed() -> None:
    async def test(bench: Bench) -> None:
        assert len(await bench.boxes.ensure(99)) == SETTINGS.boxes_per_package

    with_bench(test)


def test_what_keeps_a_box_from_being_opened_is_raised_and_the_next_try_is_free() -> None:
    async def test(bench: Bench) -> None:
        for fault in (VerifierFailedError("does not import"), SandboxUnavailableError("no engine")):
            bench.fault = fault
            with pytest.raises(type(fault)):
                await bench.boxes.ensure(2)
        bench.fault = None
        assert len(await bench.boxes.ensure(2)) == 2

    with_bench(test)


def test_an_error_that_no_backend_may_raise_is_the_hosts_fault() -> None:
    async def test(bench: Bench) -> None:
        bench.fault = AttributeError("O_PATH")
        with pytest.raises(HostFaultError, match="O_PATH"):
            await bench.boxes.ensure(1)

    with_bench(test)


def test_a_dead_box_is_forgotten_and_a_retired_one_serves_no_more() -> None:
    async def test(bench: Bench) -> None:
        first, second = await bench.boxes.ensure(2)
        first.start([[b""]], 0, 1.0, lambda *_: None)
        first.retire()
        assert (bench.boxes.serving, bench.boxes.alive) == ([second], {first, second})
        await first.kill("")
        await second.kill("")
        assert (bench.boxes.serving, bench.boxes.alive) == ([], set())

    with_bench(test)


def test_closing_ends_boxes_that_drain_too() -> None:
    async def test(bench: Bench) -> None:
        [box] = await bench.boxes.ensure(1)
        box.start([[b""]], 0, 1.0, lambda *_: None)
        box.retire()
        await bench.boxes.aclose()
        assert box.state == "dead"

    with_bench(test)


def test_a_package_that_cannot_be_loaded_is_not_tried_for_every_call() -> None:
    async def test(bench: Bench) -> None:
        bench.fault = VerifierFailedError("does not import")
        for _ in range(5):
            bench.boxes.open_for_work(1)
            await bench.clock.advance(1.0)
        assert (bench.asked, len(bench.failures)) == (1, 5)
        await bench.clock.advance(10.0)
        bench.fault = None
        bench.boxes.open_for_work(1)
        await settled()
        assert len(bench.boxes.serving) == 1

    with_bench(test)


def test_an_engine_that_never_answered_is_given_up_after_its_retries() -> None:
    async def test(bench: Bench) -> None:
        bench.fault = SandboxUnavailableError("no engine")
        bench.boxes.open_for_work(1)
        await bench.clock.advance(5.0)
        assert (bench.asked, [str(fault) for fault in bench.failures]) == (2, ["no engine"])

    with_bench(test)


def test_an_engine_that_served_before_is_waited_for_but_not_for_ever() -> None:
    async def test(bench: Bench) -> None:
        [box] = await bench.boxes.ensure(1)
        await box.kill("the engine restarts")
        bench.fault = SandboxUnavailableError("no engine")
        bench.boxes.open_for_work(1)
        await bench.clock.advance(15.0)
        assert bench.failures == []
        await bench.clock.advance(10.0)
        assert [str(fault) for fault in bench.failures] == ["no engine"]

    with_bench(test)


def test_an_image_that_is_gone_is_not_waited_for() -> None:
    async def test(bench: Bench) -> None:
        [box] = await bench.boxes.ensure(1)
        await box.kill("")
        bench.fault = ImageMissingError("it is gone")
        bench.boxes.open_for_work(1)
        await bench.clock.advance(5.0)
        assert len(bench.failures) == 1

    with_bench(test)


def test_without_work_nothing_is_tried_again() -> None:
    async def test(bench: Bench) -> None:
        bench.fault = BoxLostError("lost")
        bench.boxes.open_for_work(1)
        await settled()
        bench.has_work = False
        await bench.clock.advance(60.0)
        assert (bench.asked, bench.failures, bench.boxes.opening) == (1, [], 0)

    with_bench(test)

"""What a box says first, and what it means when it says something else, or nothing."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sandbox.errors import BoxLostError, SandboxError, StarvedError, TimeLimitError, VerifierFailedError
from sandbox.guest import frames
from sandbox.host.handshake import Handshake
from tests.sandbox.clocks import HandClock, run_by_hand, settled

READY = b'{"python": "3.11"}'


def shaken(work: Callable[[Handshake, HandClock], Awaitable[None]], *, has_package: bool = True) -> None:
    async def run() -> None:
        clock = HandClock()
        await work(Handshake(clock, has_package=has_package), clock)

    run_by_hand(run())


def test_ready_is_reported_whenever_it_comes_and_only_once() -> None:
    async def early(handshake: Handshake, _: HandClock) -> None:
        handshake.take(frames.READY, READY)
        assert (await handshake.report(60)).python == "3.11"
        for kind in (frames.READY, frames.FAILED):
            with pytest.raises(frames.ProtocolError):
                handshake.take(kind, READY)

    async def late(handshake: Handshake, clock: HandClock) -> None:
        waiting = asyncio.ensure_future(handshake.report(60))
        await clock.advance(59)
        handshake.take(frames.READY, READY)
        assert (await waiting).python == "3.11"

    shaken(early)
    shaken(late)


@pytest.mark.parametrize("kind", [frames.CHUNK, frames.SAID, frames.SOLVED, 0, 255])
def test_what_is_no_first_word_is_refused(kind: int) -> None:
    async def work(handshake: Handshake, _: HandClock) -> None:
        with pytest.raises(frames.ProtocolError, match=f"kind {kind}"):
            handshake.take(kind, READY)

    shaken(work)


@pytest.mark.parametrize(("has_package", "error"), [(True, TimeLimitError), (False, BoxLostError)])
def test_who_is_to_blame_for_silence_depends_on_whether_there_is_a_package(
    has_package: bool, error: type[SandboxError]
) -> None:
    async def work(handshake: Handshake, clock: HandClock) -> None:
        waiting = asyncio.ensure_future(handshake.report(60))
        await clock.advance(61)
        with pytest.raises(error, match="60 s"):
            await waiting

    shaken(work, has_package=has_package)


def test_a_box_that_ends_fails_who_waits_and_counts_only_before_it_is_ready() -> None:
    async def lost(handshake: Handshake, _: HandClock) -> None:
        waiting = asyncio.ensure_future(handshake.report(60))
        await settled()
        handshake.fail(BoxLostError("gone"))
        with pytest.raises(BoxLostError, match="gone"):
            await waiting

    async def ready(handshake: Handshake, _: HandClock) -> None:
        handshake.take(frames.READY, READY)
        handshake.fail(BoxLostError("gone"))
        assert (await handshake.report(60)).python == "3.11"

    shaken(lost)
    shaken(ready)


def test_a_report_that_is_none_and_a_failure_are_the_packages() -> None:
    async def malformed(handshake: Handshake, _: HandClock) -> None:
        handshake.take(frames.READY, b"[]")
        with pytest.raises(VerifierFailedError, match="something else"):
            await handshake.report(60)

    async def failed(handshake: Handshake, _: HandClock) -> None:
        handshake.take(frames.FAILED, b'{"kind": "host", "message": "no module"}')
        with pytest.raises(VerifierFailedError, match="no module"):
            await handshake.report(60)

    shaken(malformed)
    shaken(failed)


def test_time_in_which_others_had_the_processors_does_not_count() -> None:
    """A busy hub called a sound package slow, and published that it rejects every right answer."""

    async def work(handshake: Handshake, clock: HandClock) -> None:
        waiting = asyncio.ensure_future(handshake.report(60, lambda passed: passed * 0.5))
        await clock.advance(110)  # of which it had 55
        assert not waiting.done()
        handshake.take(frames.READY, READY)
        assert (await waiting).python == "3.11"

    shaken(work)


def test_a_box_that_never_gets_a_processor_is_the_machines_fault_and_ends() -> None:
    async def work(handshake: Handshake, clock: HandClock) -> None:
        waiting = asyncio.ensure_future(handshake.report(60, lambda passed: passed * 0.99))
        await clock.advance(299)
        assert not waiting.done()
        await clock.advance(2)
        with pytest.raises(StarvedError, match="no time for a box"):
            await waiting

    shaken(work)


@pytest.mark.parametrize("share", [0.0, 0.05])
def test_a_package_that_sleeps_while_others_run_is_as_late_as_on_an_idle_machine(share: float) -> None:
    async def work(handshake: Handshake, clock: HandClock) -> None:
        waiting = asyncio.ensure_future(handshake.report(60, lambda passed: passed * share))
        await clock.advance(61)
        with pytest.raises(TimeLimitError, match="60 s"):
            await waiting

    shaken(work)

import asyncio
import json

import pytest

from sandbox.errors import BoxLostError, OutputLimitError, TimeLimitError
from sandbox.guest import frames
from sandbox.host.solution_relay import Allowance, SolutionRelay, Solve, Solved
from tests.sandbox.clocks import HandClock, run_by_hand, settled

PLENTY = Allowance(requests=100, seconds=60.0, patience_seconds=600.0)


class Asker:
    """Whoever asks for solutions, and what it was told."""

    def __init__(self, solve: Solve | None, allowance: Allowance = PLENTY) -> None:
        self.told: list[dict[str, object]] = []
        self.clock = HandClock()
        self.relay = SolutionRelay(solve, lambda reply: self.told.append(json.loads(reply)), self.clock, allowance)

    async def ask(self, request: bytes = b"{}") -> None:
        self.relay.take_part(b"\x01" + request)
        await settled()


async def solved(request: bytes) -> Solved:
    return Solved(json.dumps({"asked": request.decode()}).encode(), 1.0)


def test_a_request_in_parts_is_run_once_it_is_whole() -> None:
    async def run() -> None:
        asker = Asker(solved)
        asker.relay.take_part(b"\x00one ")
        assert not asker.relay.is_busy
        asker.relay.take_part(b"\x01two")
        assert asker.relay.is_busy
        await settled()
        assert not asker.relay.is_busy
        assert asker.told == [{"asked": "one two"}]

    run_by_hand(run())


@pytest.mark.parametrize(
    "error", [BoxLostError("no box"), RuntimeError("a bug"), OverflowError("a bug"), KeyError("a bug")]
)
def test_whatever_goes_wrong_on_our_side_is_an_answer(error: Exception) -> None:
    async def broken(_: bytes) -> Solved:
        raise error

    async def run() -> None:
        asker = Asker(broken)
        await asker.ask()
        assert str(error.args[0]) in str(asker.told[0]["host_fault"])
        assert asker.relay.host_fault
        await asker.ask()
        assert len(asker.told) == 2

    run_by_hand(run())


def test_a_solution_that_returned_too_much_is_told_as_that_and_remembered() -> None:
    async def large(_: bytes) -> Solved:
        raise OutputLimitError("600,000 bytes")

    async def run() -> None:
        asker = Asker(large)
        await asker.ask()
        assert asker.told == [{"output_fault": "600,000 bytes"}]
        assert asker.relay.output_fault == "600,000 bytes"
        assert not asker.relay.host_fault

    run_by_hand(run())


def test_a_box_that_may_not_ask_is_told_so() -> None:
    async def run() -> None:
        asker = Asker(None)
        await asker.ask()
        assert "may not ask" in str(asker.told[0]["error"])

    run_by_hand(run())


def test_a_solution_that_never_comes_is_our_fault_after_a_while() -> None:
    async def never(_: bytes) -> Solved:
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    async def run() -> None:
        asker = Asker(never)
        await asker.ask()
        await asker.clock.advance(599)
        assert asker.told == []
        await asker.clock.advance(2)
        assert "600 s" in str(asker.told[0]["host_fault"])
        assert asker.relay.busy_seconds == 600

    run_by_hand(run())


def test_so_many_solutions_and_no_more() -> None:
    async def run() -> None:
        asker = Asker(solved, Allowance(3, 60.0, 600.0))
        for _ in range(3):
            await asker.ask()
        with pytest.raises(TimeLimitError, match="more than 3"):
            await asker.ask()

    run_by_hand(run())


def test_so_many_seconds_of_solutions_and_no_more() -> None:
    async def run() -> None:
        asker = Asker(solved, Allowance(100, 2.5, 600.0))
        for _ in range(3):
            await asker.ask()
        with pytest.raises(TimeLimitError, match=r"2.5 s together"):
            await asker.ask()

    run_by_hand(run())


def test_one_at_a_time_and_none_without_end() -> None:
    async def run() -> None:
        asker = Asker(solved)
        asker.relay.take_part(b"\x01{}")
        with pytest.raises(frames.ProtocolError, match="under way"):
            asker.relay.take_part(b"\x01{}")
        await settled()
        for _ in range(64):
            asker.relay.take_part(b"\x00" + bytes(64 << 10))
        with pytest.raises(frames.ProtocolError, match="bytes"):
            asker.relay.take_part(b"\x00x")

    run_by_hand(run())


def test_the_allowance_grows_with_the_limit_and_the_calls() -> None:
    one = Allowance.of(1.0, 1, longest_seconds=60.0, patience_seconds=600.0)
    assert one.seconds == 60.0
    assert Allowance.of(30.0, 1, 60.0, 600.0).seconds == 300.0
    assert Allowance.of(1.0, 32, 60.0, 600.0).requests == 32 * one.requests

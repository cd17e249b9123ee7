import pytest

from sandbox.errors import BoxLostError
from sandbox.guest import frames
from sandbox.host.box_limits import BoxLimits
from sandbox.host.call_group_run import CallGroupResult, CallGroupRun, NotStartedError, OfHead, RunningCallGroups
from sandbox.host.solution_relay import Allowance, SolutionRelay
from sandbox.settings import SandboxSettings
from tests.sandbox.clocks import HandClock, run_by_hand
from tests.sandbox.guests import outcome, reply

FINISHED = (frames.FINISHED, 0, 5, 4, 3, 2, 0)


def group(count: int = 2, seconds: float = 1.0) -> tuple[CallGroupRun, list[CallGroupResult | BoxLostError]]:
    ends: list[CallGroupResult | BoxLostError] = []
    return CallGroupRun(7, count, seconds, lambda _, result: ends.append(result)), ends


def relay() -> SolutionRelay:
    return SolutionRelay(None, lambda _: None, HandClock(), Allowance(1, 1.0, 1.0))


def result_of(*parts: bytes) -> CallGroupResult:
    run, _ = group()
    for part in parts:
        run.take_replies(part)
    found = run.result(FINISHED)
    assert isinstance(found, CallGroupResult)
    return found


def test_replies_may_come_in_any_order_and_in_any_pieces() -> None:
    stream = reply(1, index=1) + reply(0, index=0)
    for cut in range(len(stream) + 1):
        found = result_of(stream[:cut], stream[cut:])
        assert found.is_complete
        assert [text for text, _ in found.replies if text] == [b"0", b"1"]  # type: ignore[misc]


def test_half_a_reply_a_second_answer_and_a_wrong_index_spoil_the_group() -> None:
    assert result_of(reply(0), reply(1, index=1)[:-1]).problem == "half a reply"
    assert "twice" in result_of(reply(0), reply(0)).problem
    assert "call 9 of 2" in result_of(reply(0, index=9)).problem
    assert not result_of(reply(0), reply(0), reply(1, index=1)).is_complete


def test_a_flood_of_replies_is_a_problem_and_is_not_kept() -> None:
    run, _ = group()
    for _ in range(70):
        run.take_replies(b"")
        run.take_replies(bytes(1 << 20))
    found = run.result(FINISHED)
    assert isinstance(found, CallGroupResult)
    assert found.problem


def test_a_group_whose_solution_failed_by_our_fault_is_lost_not_judged() -> None:
    run, _ = group()
    run.relay = relay()
    run.relay.host_fault = "no box"
    assert isinstance(run.result(FINISHED), BoxLostError)


def test_its_end_is_told_once() -> None:
    run, ends = group()
    run.end(BoxLostError("first"))
    run.end(BoxLostError("second"))
    assert [str(end) for end in ends] == ["first"]


def test_progress_moves_one_clock_and_not_the_other() -> None:
    run, _ = group(count=2, seconds=1.0)
    run.begin(100.0)
    run.progressed(103.0)
    assert run.seconds_without_progress(103.5) == 0.5
    assert run.seconds_overdue(103.0, grace_seconds=0.0) < 0
    assert run.seconds_overdue(105.0, grace_seconds=0.0) > 0
    run.relay = relay()
    run.relay.busy_seconds = 60.0
    assert run.seconds_overdue(105.0, grace_seconds=0.0) < 0


class House:
    """Groups of one box, and what became of them."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.ends: dict[int, CallGroupResult | BoxLostError] = {}
        self.box_ended: list[str] = []
        self.groups = RunningCallGroups(
            self.clock, BoxLimits.of(SandboxSettings(grace_seconds=1.0)), None, None, lambda *_: None, self.end_box
        )

    def end_box(self, reason: str, of_head: OfHead | None) -> None:
        self.box_ended.append(reason)
        self.groups.fail(reason, of_head)

    def add(self, *sizes: int, seconds: float = 1.0) -> None:
        self.groups.add([[b"{}"] * size for size in sizes], frames.BATCH, seconds, self.ends.__setitem__)


def test_only_the_group_at_the_head_has_a_clock_and_the_rest_had_not_begun() -> None:
    house = House()

    async def run() -> None:
        house.add(1, 1, 1)
        await house.clock.advance(1.5)
        house.groups.take_done(1, outcome(frames.FINISHED))
        await house.clock.advance(1.9)
        assert house.box_ended == []
        await house.clock.advance(0.2)
        assert len(house.box_ended) == 1
        assert [type(house.ends[number]) for number in range(3)] == [CallGroupResult, BoxLostError, NotStartedError]
        assert (len(house.groups), house.groups.count) == (0, 3)

    run_by_hand(run())


def test_a_group_that_only_seems_to_make_progress_ends_by_its_own_fault() -> None:
    house = House()

    async def run() -> None:
        house.add(1, 1)
        for _ in range(20):
            if house.groups:
                house.groups.take_chunk(1, b"")
            await house.clock.advance(0.5)
        head = house.ends[0]
        assert isinstance(head, CallGroupResult)
        assert head.status == frames.TIMED_OUT
        assert type(house.ends[1]) is NotStartedError

    run_by_hand(run())


def test_an_answer_to_what_was_not_asked_breaks_the_protocol() -> None:
    house = House()

    async def run() -> None:
        house.add(1, 1)
        for take in (house.groups.take_chunk, house.groups.take_done, house.groups.take_ask):
            with pytest.raises(frames.ProtocolError, match="not asked"):
                take(3, outcome(frames.FINISHED))
        with pytest.raises(frames.ProtocolError, match="whose turn it is not"):
            house.groups.take_ask(2, b"\1{}")

    run_by_hand(run())


def test_whoever_fails_while_it_is_told_keeps_no_other_from_being_told() -> None:
    house = House()

    def broken(number: int, _: CallGroupResult | BoxLostError) -> None:
        raise RuntimeError(number)

    async def run() -> None:
        house.groups.add([[b"{}"]], frames.BATCH, 1.0, broken)
        house.add(1)
        house.groups.fail("gone", None)
        assert type(house.ends[0]) is NotStartedError

    run_by_hand(run())

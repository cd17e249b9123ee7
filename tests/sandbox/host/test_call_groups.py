import asyncio
from collections import deque
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import host_failure
from sandbox.guest import frames
from sandbox.host.call_groups import (
    WINDOW,
    CallQueue,
    Deliver,
    Outcome,
    Pace,
    QueuedCall,
    Told,
    batch_limit,
    boxes_wanted,
    by_reader,
    call_groups_of,
    cut_batch,
    fair_share,
    is_gathering,
    tell,
)
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind
from tests.sandbox.clocks import run_by_hand, settled

SETTINGS = SandboxSettings()


def call(level: int = frames.BATCH, seconds: float = 1.0, size: int = 10) -> QueuedCall:
    return QueuedCall(bytes(size), level, seconds, lambda *_: None)


def test_short_calls_go_several_at_a_time_and_long_ones_alone() -> None:
    short, long = Pace(call_us=100.0), Pace(call_us=19_000.0)
    assert short.calls_ahead == 4
    assert long.calls_ahead == 1
    assert Pace(call_us=100.0, asks_solutions=True).calls_ahead == 1


def test_a_call_with_a_box_of_its_own_goes_alone_and_nothing_lies_ready_behind_it() -> None:
    alone = Pace(is_single_use=True, call_us=100.0)
    assert alone.window == 1
    assert [batch_limit(level, alone, SETTINGS) for level in (frames.WORKER, frames.BATCH, frames.CALL)] == [1, 1, 1]


def test_a_second_batch_lies_ready_unless_calls_are_slow_or_ask_for_solutions() -> None:
    assert Pace(call_us=100.0).window == WINDOW
    assert Pace(call_us=60_000.0).window == 1
    assert Pace(call_us=100.0, asks_solutions=True).window == 1


def test_calls_that_are_short_beside_a_fork_are_worth_one_only_together() -> None:
    assert Pace().worth_a_fork(32) == 1
    assert Pace(fork_us=3000.0, own_us=20.0).worth_a_fork(16) == 16
    assert Pace(fork_us=2500.0, own_us=100.0).worth_a_fork(32) == 10
    assert Pace(fork_us=3000.0, own_us=3000.0).worth_a_fork(32) == 1
    assert is_gathering(frames.BATCH, 9, 32, is_idle=True, worth=10)
    assert not is_gathering(frames.BATCH, 10, 32, is_idle=True, worth=10)
    assert fair_share(8, idle_boxes=2, all_boxes=2, is_idle=True, worth=10) >= 8
    assert fair_share(32, idle_boxes=0, all_boxes=2, is_idle=False, worth=32) == 32, "not four forks of eight"
    assert fair_share(32, idle_boxes=0, all_boxes=2, is_idle=False) == 8, "long calls are left for others"


def test_what_a_fork_takes_is_measured_beside_its_calls_and_has_a_limit() -> None:
    pace = Pace()
    for _ in range(200):
        pace.saw_fork(4000, [50] * 20)
    assert (round(pace.fork_us), round(pace.own_us)) == (3000, 50)
    for _ in range(200):
        pace.saw_fork(2**32 - 1, [0])
    assert pace.fork_us <= 50_000


def test_the_pace_follows_what_was_seen() -> None:
    pace = Pace()
    for _ in range(100):
        pace.saw(32_000, 32)
    assert 900 < pace.call_us < 1_200


def test_the_limit_of_a_batch_is_its_levels() -> None:
    pace = Pace(call_us=100.0)
    assert batch_limit(frames.CALL, pace, SETTINGS) == pace.calls_ahead
    assert batch_limit(frames.BATCH, pace, SETTINGS) == SETTINGS.batch_calls
    assert batch_limit(frames.WORKER, pace, SETTINGS) == SETTINGS.worker_calls


def test_idle_boxes_share_equally_and_busy_ones_get_half_of_that() -> None:
    assert fair_share(16, idle_boxes=2, all_boxes=2, is_idle=True) == 8
    assert fair_share(17, idle_boxes=2, all_boxes=2, is_idle=True) == 9
    assert fair_share(16, idle_boxes=0, all_boxes=2, is_idle=False) == 4
    assert fair_share(1, idle_boxes=0, all_boxes=64, is_idle=False) == 1


def test_a_batch_is_of_one_level_and_one_limit() -> None:
    queue = deque([call(), call(), call(seconds=2.0), call()])
    assert len(cut_batch(queue, 10)) == 2
    assert len(cut_batch(queue, 10)) == 1
    assert len(queue) == 1


def test_a_batch_fits_one_frame_and_a_call_that_does_not_goes_alone() -> None:
    half = frames.MAX_REQUEST_BYTES // 2
    queue = deque([call(size=half), call(size=half), call(size=half)])
    assert len(cut_batch(queue, 10)) == 1
    too_large = deque([call(size=frames.MAX_REQUEST_BYTES + 1), call()])
    assert len(cut_batch(too_large, 10)) == 1


def test_cancelled_calls_are_dropped() -> None:
    calls = [call() for _ in range(5)]
    for cancelled in (calls[0], calls[2], calls[4]):
        cancelled.is_cancelled = True
    queue = deque(calls)
    assert cut_batch(queue, 10) == [calls[1], calls[3]]
    assert not queue


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.5, 1.0]), st.booleans()), max_size=40), st.integers(-1, 9)
)
def test_every_open_call_leaves_the_queue_once_and_in_order(rows: list[tuple[int, float, bool]], limit: int) -> None:
    calls = [call(level, seconds) for level, seconds, _ in rows]
    for one, (_, _, is_cancelled) in zip(calls, rows, strict=True):
        one.is_cancelled = is_cancelled
    queue, cut = deque(calls), []
    while queue:
        batch = cut_batch(queue, limit)
        assert len({(one.level, one.timeout_seconds) for one in batch}) <= 1
        assert len(batch) <= max(1, limit)
        cut += batch
    assert cut == [one for one in calls if not one.is_cancelled]


def test_a_full_queue_keeps_readers_waiting_until_calls_have_left() -> None:
    settings = SandboxSettings(queue_limit=2)

    async def run() -> None:
        queue = CallQueue(settings)
        queue.append([call(), call()], 5.0)
        assert queue.head.queued_at == 5.0
        waiting = [asyncio.ensure_future(queue.wait_for_room()) for _ in range(2)]
        await settled()
        assert not any(one.done() for one in waiting)
        queue.cut(1)
        await settled()
        assert not any(one.done() for one in waiting), "whoever takes calls says once that there is room"
        queue.tell_of_room()
        await settled()
        assert all(one.done() for one in waiting)

    run_by_hand(run())


def test_a_queue_is_bounded_in_bytes_too_and_counts_what_comes_back_and_what_is_dropped() -> None:
    async def run() -> None:
        queue = CallQueue(SandboxSettings(queue_mb=1))
        large = [call(size=400 << 10) for _ in range(3)]
        queue.append(large, 0.0)
        assert not queue.has_room
        assert queue.cut(1) == [large[0]]
        assert queue.has_room
        queue.put_back([large[0]])
        assert not queue.has_room
        assert queue.head is large[0]
        large[1].is_cancelled = True
        queue.drop_cancelled()
        assert queue.has_room
        assert large[1] not in queue
        assert queue.take_all() == [large[0], large[2]]
        assert not queue

    run_by_hand(run())


def test_a_call_that_nobody_waits_for_is_not_put_back() -> None:
    async def run() -> None:
        queue, calls = CallQueue(SETTINGS), [call() for _ in range(3)]
        calls[1].is_cancelled = True
        queue.put_back(calls)
        assert queue.take_all() == [calls[0], calls[2]]

    run_by_hand(run())


def test_calls_of_their_own_are_groups_of_one() -> None:
    alone = [call(frames.CALL), call(frames.CALL)]
    assert call_groups_of(alone) == [[alone[0]], [alone[1]]]
    together = [call(), call()]
    assert call_groups_of(together) == [together]


def test_boxes_are_opened_for_batches_that_no_idle_box_takes() -> None:
    assert boxes_wanted(3, idle=1, alive=1, opening=0, most=4) == 2
    assert boxes_wanted(9, idle=0, alive=2, opening=1, most=4) == 1
    assert boxes_wanted(1, idle=0, alive=1, opening=3, most=4) == 0


def test_only_calls_that_would_share_a_fork_wait_for_a_box_that_is_done() -> None:
    assert is_gathering(frames.BATCH, 31, 32, is_idle=False)
    assert not is_gathering(frames.BATCH, 32, 32, is_idle=False)
    assert not is_gathering(frames.BATCH, 1, 32, is_idle=True)
    assert not is_gathering(frames.CALL, 1, 4, is_idle=False)
    assert not is_gathering(frames.WORKER, 1, 256, is_idle=False)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 0.0, -1.0])
def test_a_limit_that_is_no_positive_number_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="positive number"):
        QueuedCall(b"", frames.CALL, seconds, lambda *_: None)


def test_limits_are_whole_milliseconds_so_that_calls_can_share_a_group() -> None:
    assert QueuedCall(b"", frames.CALL, 0.1 + 0.2, lambda *_: None).timeout_seconds == 0.3
    assert QueuedCall(b"", frames.CALL, 1e-9, lambda *_: None).timeout_seconds == 0.001


def test_an_outcome_is_told_once_and_never_of_a_cancelled_call() -> None:
    told: list[Outcome] = []

    def deliver(calls: Sequence[Told]) -> None:
        told.extend(outcome for _, outcome, _ in calls)

    call, cancelled = [QueuedCall(b"", frames.CALL, 1.0, deliver) for _ in range(2)]
    cancelled.is_cancelled = True
    for outcome in (b"1", b"2"):
        for together in by_reader([(call, outcome, 0), (cancelled, outcome, 0)]):
            tell(together)
    assert told == [b"1"]


def test_calls_of_a_group_are_told_in_one_step_a_reader() -> None:
    steps: list[tuple[str, list[Outcome]]] = []

    def deliver_to(name: str) -> Deliver:
        return lambda calls: steps.append((name, [outcome for _, outcome, _ in calls]))

    first, second = deliver_to("first"), deliver_to("second")
    readers = [first, first, first, second, second, first]
    calls = [QueuedCall(b"", frames.BATCH, 1.0, deliver) for deliver in readers]
    for together in by_reader([(call, b"%d" % number, 0) for number, call in enumerate(calls)]):
        tell(together)
    assert steps == [("first", [b"0", b"1", b"2"]), ("second", [b"3", b"4"]), ("first", [b"5"])]


def test_a_failure_of_ours_is_the_hosts() -> None:
    fault = host_failure(KeyError("x"))
    assert fault.kind is ErrorKind.HOST
    assert "KeyError" in str(fault)

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from sandbox.guest import frames
from sandbox.host.groups import (
    WINDOW,
    Pace,
    batch_limit,
    boxes_wanted,
    cut_batch,
    fair_share,
    groups_of,
    is_gathering,
)
from sandbox.host.queued_call import QueuedCall
from sandbox.settings import SandboxSettings

SETTINGS = SandboxSettings()


def call(level: int = frames.BATCH, seconds: float = 1.0, size: int = 10) -> QueuedCall:
    return QueuedCall(bytes(size), level, seconds, lambda *_: None)


def test_short_calls_go_several_at_a_time_and_long_ones_alone() -> None:
    short, long = Pace(call_us=100.0), Pace(call_us=19_000.0)
    assert short.calls_ahead == 4
    assert long.calls_ahead == 1
    assert Pace(call_us=100.0, asks_solutions=True).calls_ahead == 1


def test_a_second_batch_lies_ready_unless_calls_are_slow_or_ask_for_solutions() -> None:
    assert Pace(call_us=100.0).window == WINDOW
    assert Pace(call_us=60_000.0).window == 1
    assert Pace(call_us=100.0, asks_solutions=True).window == 1


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


def test_calls_of_their_own_are_groups_of_one() -> None:
    alone = [call(frames.CALL), call(frames.CALL)]
    assert groups_of(alone) == [[alone[0]], [alone[1]]]
    together = [call(), call()]
    assert groups_of(together) == [together]


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

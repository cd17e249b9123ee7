"""What the end of a call group means for its calls: told once, run again at most so often, and whose fault it was."""

import pytest

from sandbox.errors import BoxLostError
from sandbox.guest import frames
from sandbox.host.call_group_run import CallGroupResult, Reply
from sandbox.host.call_groups import MOST_RETURNS, CallError, QueuedCall
from sandbox.host.call_retries import after_end, after_loss, error_of_result
from schemas.verdict import ErrorKind


def group(count: int, level: int = frames.BATCH) -> list[QueuedCall]:
    return [QueuedCall(b"{}", level, 1.0, lambda *_: None) for _ in range(count)]


def result(status: int, count: int, replies: int | None = None, **more: object) -> CallGroupResult:
    there: list[Reply | None] = [(b"%d" % index, index) for index in range(count if replies is None else replies)]
    return CallGroupResult(status, 0, there + [None] * (count - len(there)), **more)  # type: ignore[arg-type]


def test_a_complete_group_tells_each_call_its_own_reply() -> None:
    calls = group(3)
    decision = after_end(calls, result(frames.FINISHED, 3))
    assert decision.told == [(calls[0], b"0", 0), (calls[1], b"1", 1), (calls[2], b"2", 2)]
    assert not decision.again


def test_a_group_that_ended_badly_counts_for_nothing_and_its_calls_run_alone() -> None:
    for bad in (
        result(frames.SIGNALLED, 3, replies=2),
        result(frames.FINISHED, 3, replies=2),
        result(frames.FINISHED, 3, problem="half a reply"),
    ):
        calls = group(3)
        decision = after_end(calls, bad)
        assert not decision.told
        assert decision.again == calls
        assert {call.level for call in calls} == {frames.CALL}


def test_a_call_of_its_own_that_ended_badly_is_at_fault() -> None:
    for level in (frames.CALL, frames.BATCH):
        calls = group(1, level)
        [(told, error, _)] = after_end(calls, result(frames.TIMED_OUT, 1, replies=0)).told
        assert told is calls[0]
        assert isinstance(error, CallError)
        assert error.kind is ErrorKind.TIMEOUT


def test_one_call_in_a_worker_that_ended_badly_gets_a_fork_of_its_own_first() -> None:
    calls = group(1, frames.WORKER)
    assert after_end(calls, result(frames.SIGNALLED, 1, replies=0)).again == calls


def test_a_call_is_sent_back_only_so_often() -> None:
    calls = group(1)
    for _ in range(MOST_RETURNS):
        assert after_end(calls, result(frames.RETURNED, 1, replies=0)).again == calls
    [(_, error, _)] = after_end(calls, result(frames.RETURNED, 1, replies=0)).told
    assert isinstance(error, CallError)
    assert error.kind is ErrorKind.VERIFIER_FAILED


def test_a_lost_call_runs_again_alone_until_its_retries_are_used_up() -> None:
    calls = group(2)
    lost = BoxLostError("it is gone")
    assert after_loss(calls, lost, retries=1).again == calls
    assert {call.level for call in calls} == {frames.CALL}
    told = after_loss(calls, lost, retries=1).told
    assert [(call, error.kind) for call, error, _ in told if isinstance(error, CallError)] == [
        (call, ErrorKind.HOST) for call in calls
    ]
    assert "2 boxes: it is gone" in told[0][1].message  # type: ignore[union-attr]


def ended(status: int, detail: int = 0, **more: str) -> CallGroupResult:
    return CallGroupResult(status, detail, [None], **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("result", "kind", "words"),
    [
        (ended(frames.TIMED_OUT), ErrorKind.TIMEOUT, "longer than 2.5 s"),
        (ended(frames.TIMED_OUT, reason="it asked for too much"), ErrorKind.TIMEOUT, "it asked for too much"),
        (ended(frames.OUT_OF_MEMORY), ErrorKind.MEMORY, "more memory"),
        (ended(frames.FLOODED), ErrorKind.OUTPUT, "more than is allowed"),
        (ended(frames.SIGNALLED, 11), ErrorKind.VERIFIER_FAILED, "signal 11 (SIGSEGV)"),
        (ended(frames.SIGNALLED, 12345), ErrorKind.VERIFIER_FAILED, "signal 12345"),
        (ended(frames.EXITED, 3), ErrorKind.VERIFIER_FAILED, "status 3"),
        (ended(frames.EXITED, 0), ErrorKind.VERIFIER_FAILED, "without returning"),
        (ended(frames.BROKEN), ErrorKind.VERIFIER_FAILED, "broke the protocol"),
        (ended(frames.FINISHED, problem="half a reply"), ErrorKind.VERIFIER_FAILED, "half a reply"),
    ],
)
def test_an_end_says_whose_fault_it_was(result: CallGroupResult, kind: ErrorKind, words: str) -> None:
    error = error_of_result(result, 2.5)
    assert error.kind is kind
    assert words in error.message


def test_no_end_of_a_call_is_the_hosts_fault() -> None:
    """Only a lost box is: else a package could have its calls run again for nothing."""
    for status in range(frames.FINISHED, frames.BROKEN + 1):
        assert error_of_result(ended(status), 1.0).kind is not ErrorKind.HOST

import pytest

from sandbox.guest import frames
from sandbox.host.queued_call import Outcome, QueuedCall


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 0.0, -1.0])
def test_a_limit_that_is_no_positive_number_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="positive number"):
        QueuedCall(b"", frames.CALL, seconds, lambda *_: None)


def test_limits_are_whole_milliseconds_so_that_calls_can_share_a_group() -> None:
    assert QueuedCall(b"", frames.CALL, 0.1 + 0.2, lambda *_: None).timeout_seconds == 0.3
    assert QueuedCall(b"", frames.CALL, 1e-9, lambda *_: None).timeout_seconds == 0.001


def test_an_outcome_is_told_once_and_never_of_a_cancelled_call() -> None:
    told: list[Outcome] = []
    call = QueuedCall(b"", frames.CALL, 1.0, lambda _, outcome, __: told.append(outcome))
    call.tell(b"1", 0)
    call.tell(b"2", 0)
    cancelled = QueuedCall(b"", frames.CALL, 1.0, lambda _, outcome, __: told.append(outcome))
    cancelled.is_cancelled = True
    cancelled.tell(b"3", 0)
    assert told == [b"1"]

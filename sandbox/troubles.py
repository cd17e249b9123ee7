"""Why a call has no reply, in words for its author or for the operator."""

import contextlib
import signal
from dataclasses import dataclass

from sandbox.box import Ending
from sandbox.guest import frames
from schemas.verdict import ErrorKind


@dataclass(frozen=True)
class Trouble:
    """Why a call has no reply."""

    kind: ErrorKind
    message: str


def trouble_of(ending: Ending, timeout_seconds: float) -> Trouble:
    """Whose fault it was that a call of its own ended without exactly one reply and exit status 0."""
    status, detail = ending.status, ending.detail
    if status == frames.TIMED_OUT:
        return Trouble(ErrorKind.TIMEOUT, f"the call took longer than {timeout_seconds:g} s and was ended")
    if status == frames.OUT_OF_MEMORY:
        return Trouble(ErrorKind.MEMORY, "the call needed more memory than the package asked for and was ended")
    if status == frames.FLOODED:
        return Trouble(ErrorKind.OUTPUT, "the call wrote more than is allowed and was ended")
    failed = ErrorKind.VERIFIER_FAILED
    if status == frames.SIGNALLED:
        return Trouble(failed, f"the process died of signal {detail}{_signal_name(detail)}")
    if status == frames.EXITED and detail != 0:
        return Trouble(failed, f"the process ended with status {detail} instead of returning a verdict")
    if ending.problem or status == frames.BROKEN:
        problem = ending.problem or "it sent what no call may send, or went on after its last reply"
        return Trouble(failed, f"the process broke the protocol: {problem}")
    return Trouble(failed, "the process ended without returning a verdict")


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return f" ({signal.Signals(number).name})"
    return ""

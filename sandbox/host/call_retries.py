"""Decides what happens to the calls of a call group that has ended: deliver an outcome, or run them again.

A call runs again in three cases: its box was lost, its box returned it unread, or the call group that it shared failed.
In all other cases its outcome is final.
"""

import contextlib
import signal
from collections.abc import Sequence
from typing import NamedTuple

from sandbox.errors import HostFaultError
from sandbox.guest import frames
from sandbox.host.call_group_run import CallGroupResult
from sandbox.host.call_groups import MOST_RETURNS, AskedReply, CallError, QueuedCall, Told
from schemas.verdict import ErrorKind


class Decision(NamedTuple):
    """``told``: calls with their outcome and microseconds. ``again``: calls that go back to the head of the queue."""

    told: Sequence[Told] = ()
    again: Sequence[QueuedCall] = ()


def after_end(group: list[QueuedCall], result: CallGroupResult) -> Decision:
    """The call group ended."""
    if result.status == frames.RETURNED:
        return _after_return(group)
    if result.is_complete:
        if result.asked:  # a package that makes model calls: its calls never share a call group
            [(call, (reply, microseconds))] = [(group[0], one) for one in result.replies if one is not None]
            return Decision(told=[(call, AskedReply.of(reply, result.asked), microseconds)])
        answered = zip(group, result.replies, strict=True)
        return Decision(told=[(call, *reply) for call, reply in answered if reply is not None])
    if group[0].level == frames.CALL or (group[0].level == frames.BATCH and len(group) == 1):
        error = error_of_result(result, group[0].timeout_seconds)
        return Decision(told=[(call, error, result.wall_us) for call in group])
    for call in group:  # no reply of a failed call group counts: each of its calls gets a fork of its own
        call.level = frames.CALL
    return Decision(again=group)


def _after_return(group: list[QueuedCall]) -> Decision:
    told: list[Told] = []
    again = []
    for call in group:
        call.returns += 1
        if call.returns <= MOST_RETURNS:
            again.append(call)
        else:
            message = f"its boxes sent the call back {call.returns} times without running it"
            told.append((call, CallError(ErrorKind.VERIFIER_FAILED, message), 0))
    return Decision(told, again)


def after_loss(group: list[QueuedCall], fault: HostFaultError, retries: int) -> Decision:
    """Its box was lost. Its calls run again, each alone, so that none can cause the loss of the others twice."""
    told: list[Told] = []
    again = []
    for call in group:
        call.losses += 1
        call.level = frames.CALL
        if call.losses <= retries:
            again.append(call)
        else:
            told.append((call, CallError(ErrorKind.HOST, f"given up after {call.losses} boxes: {fault}"), 0))
    return Decision(told, again)


def error_of_result(result: CallGroupResult, timeout_seconds: float) -> CallError:
    """The error of a call that ran alone and ended without exactly one reply and exit status 0."""
    status, detail = result.status, result.detail
    if result.unanswered:
        return CallError(ErrorKind.MODEL, result.unanswered, result.asked)
    if status == frames.TIMED_OUT:
        usual = f"the call took longer than {timeout_seconds:g} s and was ended"
        return CallError(ErrorKind.TIMEOUT, result.reason or usual)
    if status == frames.OUT_OF_MEMORY:
        return CallError(ErrorKind.MEMORY, "the call needed more memory than the package asked for and was ended")
    if status == frames.FLOODED:
        return CallError(ErrorKind.OUTPUT, result.reason or "the call wrote more than is allowed and was ended")
    failed = ErrorKind.VERIFIER_FAILED
    if status == frames.SIGNALLED:
        return CallError(failed, f"the process died of signal {detail}{_signal_name(detail)}")
    if status == frames.EXITED and detail != 0:
        return CallError(failed, f"the process ended with status {detail} instead of returning a verdict")
    if result.problem or status == frames.BROKEN:
        problem = result.problem or "it sent what no call may send, or went on after its last reply"
        return CallError(failed, f"the process broke the protocol: {problem}")
    return CallError(failed, "the process ended without returning a verdict")


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return f" ({signal.Signals(number).name})"
    return ""

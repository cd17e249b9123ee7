"""Runs one solution request: checks it, runs it in a solution box, and checks the answer."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sandbox.errors import BoxLostError, error_of
from sandbox.guest import frames
from sandbox.guest.plain_json import parse
from sandbox.guest.solver import most_seconds
from sandbox.host.call_groups import MOST_RETURNS, Outcome, QueuedCall, Told
from sandbox.host.dispatcher import Dispatcher
from sandbox.host.guest_messages import json_of
from sandbox.host.solution_relay import Solved
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind

_OUTER_SECONDS = 5.0
"""The extra time of a box beyond the time limit of its program.

The box ends the program by its own clock and keeps its output. On a busy machine that takes long if the program has
many processes and has filled the memory.
"""
_AROUND_A_VALUE = 3  # levels of our own: an object, a list, a row
_SHORTEST_SECONDS, _SMALLEST_MB = 0.01, 16


class SolutionRequest(BaseModel):
    """What ``sandbox.guest.run_solution`` sends. It may come from any code, so only finite numbers and plain JSON are
    taken.
    """

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    code: str | None
    argv: list[str] | None
    files: dict[str, str]
    stdin: str
    entry: str | None
    calls: list[list[Any]] | None
    timeout_seconds: float
    memory_mb: int

    def within(self, settings: SandboxSettings) -> "SolutionRequest":
        """The same request with its limits lowered to what the host allows."""
        seconds = min(max(self.timeout_seconds, _SHORTEST_SECONDS), settings.solution_timeout_seconds)
        memory = min(max(self.memory_mb, _SMALLEST_MB), settings.solution_memory_mb)
        return self.model_copy(update={"timeout_seconds": seconds, "memory_mb": memory})


class _Fault(BaseModel):
    """Why a solution box has no result that could be judged."""

    model_config = ConfigDict(extra="ignore")

    kind: Literal[ErrorKind.HOST, ErrorKind.OUTPUT]
    message: str


class _SolutionReply(BaseModel):
    """The answer of a solution box. A model's code may have forged it, so only these fields are passed on."""

    model_config = ConfigDict(extra="ignore", strict=True)

    exit_status: int | None = None
    stdout: str = ""
    stderr: str = ""
    results: list[dict[str, Any]] = Field(default_factory=list)
    files: dict[str, str] = Field(default_factory=dict)
    timed_out: bool = False
    error: str = "the solution's process broke"
    fault: _Fault | None = Field(default=None, strict=False)


class SolutionOutcome(NamedTuple):
    """The outcome of one call, how many boxes were lost with it, how many returned it unstarted, and the seconds since
    it was first sent.
    """

    outcome: Outcome
    losses: int
    returns: int
    seconds: float


async def run_solution_request(dispatcher: Dispatcher, request: bytes, settings: SandboxSettings) -> Solved:
    """Run one request of ``sandbox.guest.run_solution``.

    Raises BoxLostError for faults of ours, OutputLimitError for a result that is too large.
    """
    try:
        wanted = SolutionRequest.model_validate(json_of(request, frames.MAX_REQUEST_BYTES)).within(settings)
        payload = json.dumps(wanted.model_dump(), allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        return Solved(_failed(f"run_solution could not be understood: {_reason(error)}"), 0.0)
    longest_seconds = most_seconds(wanted.timeout_seconds) + _OUTER_SECONDS
    answer = await ask(dispatcher, payload, longest_seconds)
    return Solved(_reply_of(answer, settings), answer.seconds)


def _reply_of(answer: SolutionOutcome, settings: SandboxSettings) -> bytes:
    if isinstance(answer.outcome, bytes):
        return _plain(answer.outcome)
    error = answer.outcome
    if error.kind is ErrorKind.TIMEOUT:
        return json.dumps({"timed_out": True, "error": error.message}).encode()
    if error.kind is ErrorKind.HOST and answer.losses <= settings.host_retries:
        raise BoxLostError(error.message)
    if answer.returns > MOST_RETURNS:  # a solution box returns what it could not start, so no program has run
        raise BoxLostError(error.message)
    # A solution that loses every box is itself at fault. Otherwise killing the box would give it another try.
    return _failed(error.message)


async def ask(
    dispatcher: Dispatcher, payload: bytes, timeout_seconds: float, level: int = frames.CALL
) -> SolutionOutcome:
    """Run one call and wait for it. Cancelling this cancels the call."""
    future: asyncio.Future[SolutionOutcome] = asyncio.get_running_loop().create_future()

    def deliver(told: Sequence[Told]) -> None:
        [(call, outcome, _)] = told
        if not future.done():
            seconds = dispatcher.clock.now() - call.first_sent_at if call.first_sent_at else 0.0
            future.set_result(SolutionOutcome(outcome, call.losses, call.returns, seconds))

    call = QueuedCall(payload, level, timeout_seconds, deliver)
    await dispatcher.queue.wait_for_room()
    dispatcher.submit([call])
    try:
        return await future
    except asyncio.CancelledError:
        dispatcher.cancel([call])
        raise


def _plain(reply: bytes) -> bytes:
    """The box's reply, if it is JSON of the right shape. A model's code may have forged it.

    Raises BoxLostError if the machine was too busy, OutputLimitError if the result is too large.
    """
    try:
        checked = _SolutionReply.model_validate(parse(reply, _AROUND_A_VALUE))
        if checked.fault is not None:
            raise error_of(checked.fault.kind, checked.fault.message)
        fields = checked.model_dump(exclude={"fault"})
        fields["results"] = [_result(row) for row in fields["results"]]
        return json.dumps(fields, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        return _failed(f"the solution's answer is not plain JSON: {_reason(error)}")


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {"value": row["value"]} if set(row) == {"value"} else {"error": str(row.get("error", "no result"))}


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, row['loc']))}: {row['msg']}" for row in error.errors()[:3])
    return str(error)


def _failed(message: str) -> bytes:
    return json.dumps({"error": message or "the solution failed"}).encode()

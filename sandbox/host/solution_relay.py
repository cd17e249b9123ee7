"""Relays requests of a call or a session: to run a solution, or to call a model. Only JSON goes back.

Call groups and sessions use the same class, so they have the same limits and handle our own errors alike.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple, Self

from sandbox.errors import HostFaultError, ModelUnansweredError, OutputLimitError, TimeLimitError
from sandbox.guest import frames
from sandbox.guest.completion import MARK
from sandbox.host.clock import Clock, time_limit
from sandbox.host.guest_messages import split_part
from sandbox.models.access import Completed
from schemas.judge_model import JudgeCall

_MAX_REQUEST_BYTES = 4 << 20  # chosen, not measured
_MOST_REQUESTS = 1000  # a call that needs more can put them into the ``calls`` of one request
_SHARE = 10  # times a call's own limit
_log = logging.getLogger(__name__)


class Solved(NamedTuple):
    """One answer as JSON, and the seconds since a box started on it. Waiting for a box does not count."""

    reply: bytes
    seconds: float


Solve = Callable[[bytes], Awaitable[Solved]]
"""Runs one solution request (JSON) in another box."""
Complete = Callable[[bytes, int], Awaitable[Completed]]
"""Answers one model call (JSON). The number: how many model calls the same verdict has made before."""


@dataclass(frozen=True)
class Allowance:
    """What one asker (a call or a session) may use: a number of solutions, and their seconds in all.

    ``patience_seconds`` is how long the host waits for one solution, the wait for a place included.
    """

    requests: int
    seconds: float
    patience_seconds: float

    @classmethod
    def of(cls, timeout_seconds: float, call_count: int, longest_seconds: float, patience_seconds: float) -> Self:
        """The allowance of a call group with this time limit. ``longest_seconds``: the longest time limit of one
        solution.
        """
        seconds = max(_SHARE * timeout_seconds, longest_seconds) * call_count
        return cls(_MOST_REQUESTS * call_count, seconds, patience_seconds)


class SolutionRelay:
    """The requests of one asker: one at a time, with a limit of their number and of their time.

    ``send`` takes each answer. It is called once for each request, whatever happens on the way.
    """

    def __init__(
        self,
        solve: Solve | None,
        send: Callable[[bytes], None],
        clock: Clock,
        allowance: "Allowance",
        complete: Complete | None = None,
    ) -> None:
        self._solve = solve
        self._complete = complete
        self._send = send
        self._clock = clock
        self._allowance = allowance
        self._request = bytearray()
        self._count = 0
        self._seconds = 0.0
        self._task: asyncio.Task[None] | None = None
        self.busy_seconds = 0.0
        """For how long the asker's clock has stood still, over all answered requests."""
        self.host_fault = ""
        """What failed on our side in one of the requests. A verdict that used its answer does not count."""
        self.output_fault = ""
        """Set if a solution returned too much to be judged. The asker's verdict then does not count."""
        self.model_fault = ""
        """Why a model call was not answered. The asker's verdict then does not count."""
        self.asked: list[JudgeCall] = []
        """The answered model calls, in order."""

    @property
    def is_busy(self) -> bool:
        """Whether a request is under way; the asker's clock then stands still."""
        return self._task is not None

    def take_part(self, payload: bytes) -> None:
        """One ASK frame.

        Raises ProtocolError for a request that is too large or comes too early, TimeLimitError when the allowance is
        used up.
        """
        is_last, part = split_part(payload)
        if self.is_busy:
            raise frames.ProtocolError("a request for a solution while another is under way")
        self._request += part
        if len(self._request) > _MAX_REQUEST_BYTES:
            raise frames.ProtocolError(f"a request for a solution of more than {_MAX_REQUEST_BYTES} bytes")
        if not is_last:
            return
        self._count += 1
        most = self._allowance
        if self._count > most.requests:
            raise TimeLimitError(f"it asked for more than {most.requests} solutions and was ended")
        if self._seconds > most.seconds:
            raise TimeLimitError(f"its solutions took longer than {most.seconds:g} s together and it was ended")
        request = bytes(self._request)
        self._request.clear()
        self._task = asyncio.get_running_loop().create_task(self._answer(request))

    def cancel(self) -> None:
        """Cancel the request: nobody waits for its answer any more."""
        if self._task is not None:
            self._task.cancel()

    async def _answer(self, request: bytes) -> None:
        """Unless cancelled, this always sends an answer, because the asker's clock stands still until it comes."""
        began_at = self._clock.now()
        try:
            reply = await self._solved(request)
        except (HostFaultError, TimeoutError) as fault:
            reply = self._fault(str(fault))
        except ModelUnansweredError as fault:
            self.model_fault = str(fault)
            reply = json.dumps({"unanswered": self.model_fault}).encode()
        except OutputLimitError as fault:
            self.output_fault = str(fault)
            reply = json.dumps({"output_fault": self.output_fault}).encode()
        except Exception as error:  # noqa: BLE001 -- a bug of ours: the asker must get an answer
            _log.exception("a solution could not be run")
            reply = self._fault(f"the host failed while it ran a solution: {error!r}")
        self._task = None
        self.busy_seconds += self._clock.now() - began_at
        self._send(reply)

    def _fault(self, message: str) -> bytes:
        self.host_fault = message
        return json.dumps({"host_fault": message}).encode()

    async def _solved(self, request: bytes) -> bytes:
        if request.startswith(MARK):
            return await self._completed(request)
        if self._solve is None:
            return b'{"error":"this box may not ask for solutions"}'
        try:
            async with time_limit(self._clock, self._allowance.patience_seconds):
                solved = await self._solve(request)
        except TimeoutError:
            raise TimeoutError(f"a solution was not run within {self._allowance.patience_seconds:g} s") from None
        self._seconds += solved.seconds
        return solved.reply

    async def _completed(self, request: bytes) -> bytes:
        """The model's answer. Its time does not count as a solution's. After one unanswered model call no further one
        is made.
        """
        if self._complete is None or self.model_fault:
            raise ModelUnansweredError(self.model_fault or "only a verifier may ask a model")
        completed = await self._complete(request, len(self.asked))
        self.asked.append(completed.call)
        return completed.reply

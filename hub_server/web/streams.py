"""Streams of JSON lines.

Each takes one slot and bounded memory both ways; if the last summary line is missing, the stream was cut.
"""

import logging
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import aclosing
from functools import partial
from typing import Any

import anyio
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from hub_server.errors import BusyError, HubServerError, InvalidRequestError, TooLargeError
from hub_server.settings import ExecutionSettings
from hub_server.web.admission import Admission, admissions_of
from hub_server.web.fair_slots import Held
from hub_server.web.senders import sender_of
from sandbox.streams import Channel, StreamLeftError

MEDIA_TYPE = "application/x-ndjson"
_BATCH_LINES = 256  # chosen, as the next: lines that wait for nothing are made and sent together
_BATCH_BYTES = 64 * 1024
_UNREAD_BYTES = 16 * 2**20  # chosen, not measured
"""Bytes of a body that may wait in memory. Beyond them the client has to wait with sending."""
_LAST_WORDS_SECONDS = 2.0
"""So long a stream whose slot was asked back has to say so."""
_log = logging.getLogger("hub_server")
Line = BaseModel | dict[str, Any] | bytes
"""What becomes a line of JSON, or is one."""


def json_line(line: Line) -> bytes:
    """One line with its newline: of a model, or of a dictionary that may hold models. A finished one stays as it is."""
    if isinstance(line, bytes):
        return line
    if isinstance(line, BaseModel):  # as model_dump_json() does it, which spends more on its options than on the line
        return line.__pydantic_serializer__.to_json(line) + b"\n"
    return to_json(line) + b"\n"


def problem_line(error: HubServerError) -> dict[str, Any]:
    """A refusal inside a stream, where the status is sent already."""
    return {"problem": {"code": error.code.value, "title": error.title, "detail": error.detail}}


class LinesResponse(StreamingResponse):
    """Streams what ``make(streams)`` yields, and closes it when the reader goes away. ``body`` is filled meanwhile.

    Without a free slot the refusal is the answer; a refusal on the way becomes a last line ``{"problem": …}``.
    """

    def __init__(
        self,
        make: Callable[[Admission], AsyncGenerator[bytes]],
        settings: ExecutionSettings,
        *,
        body: "BodyLines | None" = None,
    ) -> None:
        self._make = make
        self._settings = settings
        self._body = body
        super().__init__((), media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        streams, sender = admissions_of(connection).streams, sender_of(connection)
        most_seconds = math.inf if sender.is_account else self._settings.anonymous_stream_seconds
        try:
            async with streams.slot(sender) as held:
                await self._stream(streams, receive, send, _Time(most_seconds, held))
        except* TimeoutError:
            _log.info("a stream was cut: its client read nothing for %g s", self._settings.slow_reader_seconds)
        finally:
            if self._body is not None:
                self._body.discard()

    async def _stream(self, streams: Admission, receive: Receive, send: Send, time: "_Time") -> None:
        async def send_in_time(message: Message) -> None:
            with anyio.fail_after(self._settings.slow_reader_seconds):
                await send(message)

        chunks = _with_refusal(_within(self._make(streams), time))
        self.body_iterator = chunks
        async with anyio.create_task_group() as group:
            time.stream = group.cancel_scope
            group.start_soon(self._attend, receive, group.cancel_scope)
            try:
                await self.stream_response(send_in_time)
            finally:
                if self._body is not None:
                    self._body.close()  # wake whoever waits for a line of it
                await chunks.aclose()
            group.cancel_scope.cancel()

    async def _attend(self, receive: Receive, answer: anyio.CancelScope) -> None:
        """Take the body in, then wait for the reader to go away."""
        try:
            if self._body is None or await self._body.fill(receive):
                while (await receive())["type"] != "http.disconnect":
                    pass
        finally:
            if self._body is not None:
                self._body.close()
        answer.cancel()


async def _with_refusal(chunks: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    async with aclosing(chunks):
        try:
            async for chunk in chunks:
                yield chunk
        except HubServerError as error:
            yield json_line(problem_line(error))


class _Time:
    """How long a stream may take, and whether its slot was asked back for others."""

    def __init__(self, most_seconds: float, held: Held) -> None:
        self.most_seconds = most_seconds
        self.is_asked_back = False
        self.stream: anyio.CancelScope | None = None
        self.next_chunk: anyio.CancelScope | None = None
        held.end = self._ask_back

    def _ask_back(self) -> None:
        self.is_asked_back = True
        if self.next_chunk is not None:
            self.next_chunk.cancel()
        if self.stream is not None:  # a reader that does not read gets no last words
            self.stream.deadline = anyio.current_time() + _LAST_WORDS_SECONDS

    def refusal(self) -> HubServerError:
        """Why the stream ended."""
        if self.is_asked_back:
            return BusyError(
                "Others without an account wait, and your network holds more streams than theirs, so this one was "
                "ended: send what has no answer in a new one, or log in (`verihub login`).",
                retry_after_seconds=_LAST_WORDS_SECONDS,
            )
        return InvalidRequestError(
            f"Without an account a stream may take {self.most_seconds:g} s, so this one was ended: "
            "send what has no answer in a new one, or log in (`verihub login`)."
        )


async def _within(chunks: AsyncGenerator[bytes], time: _Time) -> AsyncGenerator[bytes]:
    """The same chunks until the time is over or the slot is asked back, then a refusal that says so."""
    deadline = anyio.current_time() + time.most_seconds
    async with aclosing(chunks):
        while True:
            is_over, chunk = time.is_asked_back or anyio.current_time() >= deadline, None
            with anyio.CancelScope(deadline=-math.inf if time.is_asked_back else deadline) as in_time:
                time.next_chunk = in_time
                chunk = await anext(chunks, None)
            time.next_chunk = None
            if in_time.cancelled_caught or (is_over and chunk is not None):
                raise time.refusal()
            if chunk is None:
                return
            yield chunk


async def pulled(
    streams: Admission, make: Callable[[], Generator[Line]], *, is_quick: bool = False
) -> AsyncGenerator[bytes]:
    """What a generator yields, as chunks: a thread works only while the next line is made.

    ``is_quick``: the next line never waits for anything, so many are made at once.
    """
    lines = make()
    try:
        while chunk := await streams.in_thread(partial(_take, lines, _BATCH_LINES if is_quick else 1)):
            yield chunk
    finally:
        with anyio.CancelScope(shield=True):
            await streams.in_thread(lines.close)


def _take(lines: Iterator[Line], most_lines: int) -> bytes:
    """The next lines, at least one; empty at the end."""
    taken = bytearray()
    try:
        for _ in range(most_lines):
            taken += json_line(next(lines))
            if len(taken) >= _BATCH_BYTES:
                break
    except StopIteration:  # the last lines: what was taken is sent, and the next call finds nothing
        pass
    except HubServerError as error:  # it ended the generator, so the next call finds nothing
        taken += json_line(problem_line(error))
    return bytes(taken)


class LineSplitter:
    """Cuts bytes into lines as they come: linear in time, never holding more than one line of the longest kind.

    A longer line comes out cut to ``line_bytes + 1``, so that its reader sees that it is too long.
    """

    def __init__(self, line_bytes: int) -> None:
        self._most = line_bytes + 1
        self._open = bytearray()

    def take(self, chunk: bytes) -> list[bytes]:
        """The lines that end in ``chunk``, without their newlines and without blank ones."""
        *ended, rest = chunk.split(b"\n")
        lines = []
        for piece in ended:
            self._add(piece)
            lines.append(self._end())
        self._add(rest)
        return [line for line in lines if line.strip()]

    def rest(self) -> list[bytes]:
        """What stands after the last newline."""
        line = self._end()
        return [line] if line.strip() else []

    def _add(self, piece: bytes) -> None:
        self._open += piece[: max(0, self._most - len(self._open))]

    def _end(self) -> bytes:
        line = bytes(self._open)
        self._open.clear()
        return line


class BodyLines:
    """The request's body in lists of lines, while it still comes in.

    A client that sends much before it reads is taken ahead of by 16 MiB; after that its sending waits for the work.
    It may send nothing for ``idle_seconds`` after its last line or answer, and for ``answer_seconds`` in any case.
    """

    def __init__(self, line_bytes: int, idle_seconds: float, answer_seconds: float | None = None) -> None:
        self._splitter = LineSplitter(line_bytes)
        self._answer_seconds = idle_seconds if answer_seconds is None else answer_seconds
        self._idle_seconds = min(idle_seconds, self._answer_seconds)
        self._unanswered = 0
        self._active_at = 0.0
        self._lists: Channel[list[bytes]] = Channel(weigh=lambda lines: sum(map(len, lines)))

    async def fill(self, receive: Receive) -> bool:
        """Take the body off the socket to its end; False when the sender went away before."""
        try:
            return await self._fill(receive)
        except StreamLeftError:
            pass  # nobody reads any more
        except TimeoutError:
            self._lists.close(InvalidRequestError(self._why_idle()))
        except HTTPException as error:  # beyond the body's limit
            self._lists.close(TooLargeError(str(error.detail)))
        finally:
            self._lists.close()
        return True

    async def _fill(self, receive: Receive) -> bool:
        while True:
            message = await self._next(receive)
            if message["type"] == "http.disconnect":
                return False
            self._put(self._splitter.take(message.get("body", b"")))
            if not message.get("more_body", False):
                self._put(self._splitter.rest())
                return True
            await self._lists.wait_until(lambda: self._lists.weight <= _UNREAD_BYTES)

    async def _next(self, receive: Receive) -> Message:
        began = self._active_at = anyio.current_time()
        while True:
            now = anyio.current_time()
            idle_at = (now if self._unanswered else self._active_at) + self._idle_seconds
            ends_at = min(idle_at, began + self._answer_seconds)
            if now >= ends_at:
                raise TimeoutError
            with anyio.CancelScope(deadline=ends_at):
                return await receive()

    def _why_idle(self) -> str:
        words = f"Nothing came in for {self._idle_seconds:g} s, so this stream was ended."
        if self._idle_seconds < self._answer_seconds:
            words += f" With an account it may be silent for {self._answer_seconds:g} s (`verihub login`)."
        return words

    def answered(self, count: int) -> None:
        """So many lines have their answers: a client that waits for none and sends nothing is idle from now on."""
        self._unanswered -= count
        self._active_at = anyio.current_time()

    def _put(self, lines: list[bytes]) -> None:
        if lines:
            self._unanswered += len(lines)
            self._lists.put(lines)

    def close(self) -> None:
        """End the lines for whoever waits for one. Harmless to repeat."""
        self._lists.close()

    def discard(self) -> None:
        """Drop what is left: nobody reads any more. Harmless to repeat."""
        self._lists.leave()

    def __aiter__(self) -> AsyncIterator[list[bytes]]:
        return aiter(self._lists)

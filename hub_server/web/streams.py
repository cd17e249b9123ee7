"""Streams of JSON lines: made in a thread, sent as they come, ended by a summary line so that a cut is noticed."""

import asyncio
import contextlib
import json
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from typing import Any

import anyio
from pydantic import BaseModel
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from hub_server.errors import HubServerError

MEDIA_TYPE = "application/x-ndjson"
_BUFFERED_LINES = 256
Line = BaseModel | dict[str, Any]


def json_line(line: Line) -> bytes:
    """One line: a model or a dictionary, with its newline."""
    if isinstance(line, BaseModel):
        return line.model_dump_json().encode() + b"\n"
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


class LinesResponse(StreamingResponse):
    """Streams what ``make()`` yields, from a thread of its own, and closes it when the reader goes away.

    A refusal on the way becomes a last line ``{"problem": …}``: the status is sent already. ``body`` is filled
    meanwhile.
    """

    def __init__(self, make: Callable[[], Iterator[Line]], body: "BodyLines | None" = None) -> None:
        self._lines = _lines(make)
        self._body = body
        super().__init__(self._lines, media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 -- ASGI names it
        async with anyio.create_task_group() as group:
            group.start_soon(self._attend, receive, group.cancel_scope)
            try:
                await self.stream_response(send)
            finally:
                await self._lines.aclose()
            group.cancel_scope.cancel()

    async def _attend(self, receive: Receive, answer: anyio.CancelScope) -> None:
        """Take the body in, then wait for the reader to go away."""
        if self._body is not None and not await self._body.fill(receive):
            answer.cancel()
            return
        while (await receive())["type"] != "http.disconnect":
            pass
        answer.cancel()


async def _lines(make: Callable[[], Iterator[Line]]) -> AsyncGenerator[bytes]:
    pipe = _Pipe(asyncio.get_running_loop())
    threading.Thread(target=pipe.produce, args=(make,), name="stream", daemon=True).start()
    try:
        while (item := await pipe.ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            pipe.room.release()
            yield item
    finally:
        pipe.stopped.set()


class _Pipe:
    """From the thread that makes lines to the loop that sends them, a bounded step ahead."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.ready: asyncio.Queue[bytes | BaseException | None] = asyncio.Queue()
        self.room = threading.Semaphore(_BUFFERED_LINES)
        self.stopped = threading.Event()
        self._loop = loop

    def produce(self, make: Callable[[], Iterator[Line]]) -> None:
        """Hand over every line, then the reason for the end if there is one, then None."""
        lines = make()
        try:
            for line in lines:
                if not self._has_room():
                    return
                self._hand_over(json_line(line))
        except HubServerError as error:
            self._hand_over(json_line(problem_line(error)))
        except BaseException as error:  # noqa: BLE001 -- handed to the reader's side, which raises it
            self._hand_over(error)
        finally:
            if isinstance(lines, Generator):
                lines.close()
            self._hand_over(None)

    def _has_room(self) -> bool:
        """Wait until the reader has kept up; False when it has gone away."""
        while not self.room.acquire(timeout=0.5):
            if self.stopped.is_set():
                return False
        return not self.stopped.is_set()

    def _hand_over(self, item: bytes | BaseException | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody reads any more
            self._loop.call_soon_threadsafe(self.ready.put_nowait, item)


def problem_line(error: HubServerError) -> dict[str, Any]:
    """A refusal inside a stream."""
    return {"problem": {"code": error.code.value, "title": error.title, "detail": error.detail}}


class BodyLines:
    """The request's body line by line, for a thread, while it still comes in.

    The body is taken off the socket as fast as it comes (its size is limited), so that a client which sends everything
    before it reads the first answer never waits for us while we wait for it.
    """

    def __init__(self, line_bytes: int) -> None:
        self._line_bytes = line_bytes
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    async def fill(self, receive: Receive) -> bool:
        """Take the body off the socket to its end; False when the sender went away before."""
        rest = b""
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return False
                *whole, rest = (rest + message.get("body", b"")).split(b"\n")
                for line in whole:
                    self._put(line)
                if not message.get("more_body", False):
                    self._put(rest)
                    return True
        finally:
            self._lines.put(None)

    def _put(self, line: bytes) -> None:
        if line.strip():
            self._lines.put(line[: self._line_bytes + 1])

    def __iter__(self) -> Iterator[bytes]:
        while (line := self._lines.get()) is not None:
            yield line

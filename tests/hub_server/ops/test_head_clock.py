"""Connections that never end their head are closed; whoever is answered, or waits for an answer, is not."""

import asyncio
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from hub_server.ops.head_clock import clocked_protocol


class Line(asyncio.Transport):
    """What the protocol writes to; nothing is sent anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self.closed = False

    def write(self, data: Any) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class Timers:
    """The loop's timers, rung by the test."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.waiting: list[tuple[float, asyncio.TimerHandle]] = []

    def call_later(self, seconds: float, call: Any, *rest: Any) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(self.loop.time() + seconds, call, rest, self.loop)
        self.waiting.append((seconds, timer))
        return timer

    def ring(self, seconds: float) -> None:
        due, self.waiting = [one for one in self.waiting if one[0] <= seconds], []
        for _, timer in due:
            if not timer.cancelled():
                timer._run()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loop, name)


def connected(app: Any) -> tuple[Any, Line, Timers]:
    config = uvicorn.Config(app, log_config=None, lifespan="off", timeout_keep_alive=1000)
    config.load()
    timers, line = Timers(asyncio.get_running_loop()), Line()
    protocol: Any = clocked_protocol(20.0)(config=config, server_state=ServerState(), app_state={}, _loop=timers)  # type: ignore[arg-type]
    protocol.connection_made(line)
    return protocol, line, timers


async def never(_scope: Any, _receive: Any, _send: Any) -> None:
    await asyncio.Event().wait()


async def hello(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def test_a_head_that_never_ends_is_closed_however_it_drips() -> None:
    async def scene() -> None:
        for pieces in ([], [b"GET / HT"], [b"GET / HTTP/1.1\r\n", b"X-A: b\r\n", b"X-B: c\r\n"]):
            protocol, line, timers = connected(hello)
            for piece in pieces:
                protocol.data_received(piece)
            assert len([one for one in timers.waiting if one[0] == 20.0]) == 1  # a drip does not set it back
            timers.ring(20.0)
            assert line.closed

    asyncio.run(scene())


def test_who_waits_for_an_answer_is_not_closed() -> None:
    async def scene() -> None:
        protocol, line, timers = connected(never)
        protocol.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        timers.ring(20.0)
        assert not line.closed
        tasks = list(protocol.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(scene())


def test_a_second_head_on_the_same_connection_has_its_clock_too() -> None:
    async def scene() -> None:
        protocol, line, timers = connected(hello)
        protocol.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.gather(*list(protocol.tasks))
        assert b"204" in line.written
        protocol.data_received(b"GET / HT")
        timers.ring(20.0)
        assert line.closed

    asyncio.run(scene())

"""A clock for connections that begin a request and do not end its head: uvicorn has one between requests only."""

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol


class ClockedProtocol(H11Protocol):
    """One connection."""

    head_seconds: ClassVar[float]
    head_clock: asyncio.TimerHandle | None = None
    is_upgraded = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.set_head_clock()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.set_head_clock()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.set_head_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_head_clock()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: Any) -> None:
        self.stop_head_clock()
        self.is_upgraded = True
        super().handle_websocket_upgrade(event)

    def set_head_clock(self) -> None:
        """Running while no request is answered; more bytes of the same head do not set it back."""
        cycle: Any = getattr(self, "cycle", None)
        if self.is_upgraded or (cycle is not None and not cycle.response_complete):
            self.stop_head_clock()
        elif self.head_clock is None:
            self.head_clock = self.loop.call_later(self.head_seconds, self.end_half_request)

    def stop_head_clock(self) -> None:
        """A request is answered, or the connection has ended."""
        if self.head_clock is not None:
            self.head_clock.cancel()
            self.head_clock = None

    def end_half_request(self) -> None:
        """Close the connection: the time for its request's head is over."""
        self.head_clock = None
        if not self.transport.is_closing():
            self.transport.close()


def clocked_protocol(seconds: float) -> type[ClockedProtocol]:
    """The protocol that closes a connection which has sent no whole head of a request for ``seconds``."""
    return type("ClockedProtocol", (ClockedProtocol,), {"head_seconds": seconds})

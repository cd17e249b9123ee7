"""AsyncHub: a hub from asyncio. Calls are those of ``transport.requests``; packages are loaded in threads."""

import asyncio
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from hub_client.client import Hub
from hub_client.environments import Environment, Verifier
from hub_client.errors import HubUnreachableError
from hub_client.settings import ClientSettings
from hub_client.transport.connection import AsyncConnection, AsyncTransport, Transport
from hub_client.transport.requests.call import ApiCall

Answer = TypeVar("Answer")


class AsyncHub:
    """``async with AsyncHub() as hub: page = await hub.send(packages.search("math"))``."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        settings: ClientSettings | None = None,
        transport: Transport | None = None,
        async_transport: AsyncTransport | None = None,
    ) -> None:
        self._hub = Hub(url, token, settings=settings, transport=transport, async_transport=async_transport)
        self.settings = self._hub.settings
        self._connection: AsyncConnection = self._hub.open_async_connection()

    async def send(self, call: ApiCall[Answer]) -> Answer:
        """Send any of the calls in :mod:`hub_client.transport.requests`."""
        if self.settings.offline:
            raise HubUnreachableError(f"--offline forbids asking {self._hub.url}")
        return await self._connection.send(call)

    async def environment(self, target: str | Path) -> Environment:
        """An environment by reference or project folder; its ``score_stream`` and ``session`` are asynchronous."""
        return await asyncio.to_thread(self._hub.environment, target)

    async def verifier(self, target: str | Path) -> Verifier:
        """A verifier by reference or project folder."""
        return await asyncio.to_thread(self._hub.verifier, target)

    async def aclose(self) -> None:
        """End boxes and connections."""
        await self._connection.aclose()
        await asyncio.to_thread(self._hub.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

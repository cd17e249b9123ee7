"""Tools for models, over the Model Context Protocol."""

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Protocol

from hub_server.errors import ExecutionUnavailableError
from hub_server.ports.executor import ExecutableRelease

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
"""ASGI's three arguments, as specified. Ports do not depend on a web framework."""


@dataclass(frozen=True)
class ServedTools:
    """What one address serves to one caller. ``releases``: whose tools, and the session, if one is among them."""

    package: str
    version: str
    summary: str
    releases: tuple[ExecutableRelease, ...]
    caller: str
    """The owner of the connection. Nobody else's token can use it."""
    task: dict[str, Any] | None = None
    """What the session plays."""
    seed: int = 0

    @property
    def is_stateful(self) -> bool:
        """Whether a session is among them."""
        return any(release.manifest.session is not None for release in self.releases)


class ToolServer(Protocol):
    """Speaks the protocol. The caller has been authenticated, and may execute the releases."""

    async def answer(self, tools: ServedTools, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request, whole."""
        ...

    def close(self) -> None:
        """End every connection. Harmless to call twice."""
        ...


class NoToolServer:
    """A hub that serves no tools."""

    async def answer(self, tools: ServedTools, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, with what would help."""
        del tools, scope, receive, send
        raise ExecutionUnavailableError("This hub serves no tools: its operator installs the extra 'mcp'.")

    def close(self) -> None:
        """Nothing is held."""

"""Sessions on many nodes: each lives on one, from its first request to its end."""

import json
from collections.abc import Coroutine
from contextlib import suppress
from itertools import count
from typing import Any

from sandbox.cluster.nodes import Node, Nodes
from sandbox.errors import HostFaultError, NodeLostError, SessionClosedError
from sandbox.interface import Source
from sandbox.sessions.session_places import SessionPlaces
from sandbox.sessions.sessions import Session


class NodeSessionHost:
    """One node, as the place where a session's process is."""

    def __init__(self, node: Node, nodes: Nodes, idents: "count[int]") -> None:
        self._node = node
        self._nodes = nodes
        self._idents = idents

    def new_ident(self) -> int:
        return next(self._idents)

    async def ask(self, ident: int, _: int, payload: bytes) -> Any:
        """Send one request and await its value. A caller that goes away ends the session, as anywhere."""
        return await self._there("session_ask", ident, json.loads(payload))

    async def branch(self, ident: int, new: int) -> None:
        await self._there("session_branch", ident, new)

    async def close(self, ident: int) -> None:
        with suppress(SessionClosedError, HostFaultError):
            await self._there("session_close", ident)

    async def _there(self, method: str, *arguments: Any) -> Any:
        try:
            return await self._node.while_there(self._node.link.ask(method, *arguments))
        except NodeLostError as fault:
            self._nodes.failed(self._node, fault)
            raise SessionClosedError(f"the session's node was lost ({fault}): open another session") from None


class NodeSessions(SessionPlaces):
    """Opens sessions on the release's own node, on the next when that one cannot."""

    def __init__(self, nodes: Nodes, host_retries: int) -> None:
        self._nodes = nodes
        self._host_retries = host_retries
        self._idents = count(1)

    async def _begin(self, source: Source, task: dict[str, Any], seed: int) -> Session:
        ident = next(self._idents)

        def begin(node: Node) -> Coroutine[Any, Any, None]:
            return node.link.ask("session_open", source.boxes_key, ident, task, seed)

        node, _ = await self._nodes.attempt(source, self._host_retries, begin)
        return Session(NodeSessionHost(node, self._nodes, self._idents), ident, source, task, seed)

"""Tools over the Model Context Protocol on HTTP: connections of many callers, each with a tool session, within limits.

``initialize`` opens a connection and ``Mcp-Session-Id`` names it. Protocol version 2026-07-28 has no connections: every
request then gets a tool session of its own. A package whose state matters (``is_stateful``) therefore asks the client
to use the older handshake, which all clients still support.
"""

import contextlib
import itertools
import json
import logging
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import anyio
import anyio.to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import (
    INVALID_REQUEST,
    UNSUPPORTED_PROTOCOL_VERSION,
    ErrorData,
    JSONRPCError,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from sandbox.errors import SandboxError
from sandbox.tools.mcp_server import AnyToolSession, ToolOffer, in_thread, make_server

_log = logging.getLogger(__name__)
_SESSION, _VERSION = "mcp-session-id", "mcp-protocol-version"
_BUSY = -32000  # the first of JSON-RPC's numbers for errors of an implementation
_SWEEP_SECONDS = 15.0  # chosen: so much longer an idle connection may live


@dataclass
class CallerLimits:
    """How much callers may hold. Times in seconds."""

    connections: int = 64
    connections_each: int = 8
    idle_seconds: float = 600.0
    request_bytes: int = 4 << 20


class HttpTools:
    """Offers over streamable HTTP, any number of them, for whoever routes requests to :meth:`handle`.

    Enter it (``async with``) in the event loop that serves. Whoever routes has authenticated the request already.
    """

    def __init__(self, limits: CallerLimits | None = None, *, hosts: list[str] | None = None) -> None:
        """``hosts``: the only Host headers to take (``127.0.0.1:*``), against rebinding; None where a proxy decides."""
        self._limits = limits or CallerLimits()
        self._connections: dict[str, _Connection] = {}
        self._places = itertools.count()
        self._tool_sessions: dict[str, _HeldToolSession] = {}
        origins = [f"http://{host}" for host in hosts or []]
        security = TransportSecuritySettings(
            enable_dns_rebinding_protection=hosts is not None, allowed_hosts=hosts or [], allowed_origins=origins
        )
        self._manager = StreamableHTTPSessionManager(
            make_server(self._use_tools, _offer_of),
            json_response=True,
            security_settings=security,
            session_idle_timeout=self._limits.idle_seconds,
            max_sessions=self._limits.connections,
            max_request_body_size=self._limits.request_bytes,
        )
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._manager.run())
        tasks = await self._stack.enter_async_context(anyio.create_task_group())
        self._stack.callback(tasks.cancel_scope.cancel)
        tasks.start_soon(self._sweep)
        return self

    async def __aexit__(self, *error: object) -> None:
        for key in list(self._tool_sessions):
            await self._close_tool_session(key)
        await self._stack.aclose()

    async def handle(self, offer: ToolOffer, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request to the address of ``offer``."""
        headers = Headers(scope=scope)
        version = headers.get(_VERSION)
        if offer.is_stateful and version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            await _ask_for_handshake(version)(scope, receive, send)
            return
        scope["state"] = {**scope.get("state", {}), "offer": offer}
        owner = f"{offer.owner} {offer.name}@{offer.version}"  # a connection is its owner's, and for this offer only
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=owner, scopes=[]))
        key = headers.get(_SESSION)
        if key is None and (version is None or version in HANDSHAKE_PROTOCOL_VERSIONS):
            await self._open_connection(offer.owner, scope, receive, send)
            return
        connection = self._connections.get(key or "")
        if connection is not None and connection.owner != offer.owner:
            connection = None  # the library refuses it: nobody may use, keep alive or end another caller's connection
        if connection is None:
            status = await self._handle(scope, receive, send)
        else:
            with connection.in_use():
                status = await self._handle_once(connection, scope, receive, send)
        if scope["method"] == "DELETE" and status < 400:
            self._connections.pop(key or "", None)
            await self._close_tool_session(key or "")

    async def _handle_once(self, connection: "_Connection", scope: Scope, receive: Receive, send: Send) -> int:
        """:meth:`_handle`, but a request whose id is under way on this connection is refused.

        The library keeps one answer for each id: of two requests with one id, the first would wait for ever.
        """
        ident, receive = await _peek_id(receive, self._limits.request_bytes)
        key = str(ident)  # as the library compares them
        if ident is None:
            return await self._handle(scope, receive, send)
        if key in connection.under_way:
            words = f"a request with the id {key[:100]} is under way on this connection: take another id"
            await _refusal(400, INVALID_REQUEST, words, ident=ident)(scope, receive, send)
            return 400
        connection.under_way.add(key)
        try:
            return await self._handle(scope, receive, send)
        finally:
            connection.under_way.discard(key)

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> int:
        """Have the library answer a request. Returns the status of its answer, 500 without one."""
        status = 500

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        await self._manager.handle_request(scope, receive, send_noted)
        return status

    async def _open_connection(self, owner: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit a request without a connection.

        It counts against the owner's limit from now on, so that many at once stay within it.
        """
        mine = self._count(owner)
        if mine >= self._limits.connections_each:
            await _refusal(429, _BUSY, f"{mine} connections are open already: close one")(scope, receive, send)
            return
        place = f"opening {next(self._places)}"
        self._connections[place] = _Connection(owner, users=1)
        try:
            await self._manager.handle_request(scope, receive, self._noting_connection(owner, send))
        finally:
            del self._connections[place]

    def _noting_connection(self, owner: str, send: Send) -> Send:
        """``send``, which also notes the name of the connection that an answer opens."""

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                key = Headers(raw=message["headers"]).get(_SESSION)
                if key is not None:
                    self._connections[key] = _Connection(owner)
            await send(message)

        return send_noted

    def _count(self, owner: str) -> int:
        """How many connections of this owner are open: in use, or used not long ago."""
        alive_since = time.monotonic() - self._limits.idle_seconds
        return sum(
            connection.owner == owner and (connection.users > 0 or connection.used_at > alive_since)
            for connection in self._connections.values()
        )

    @contextlib.asynccontextmanager
    async def _use_tools(self, context: ServerRequestContext[Any, Any]) -> AsyncIterator[AnyToolSession]:
        """Yield the connection's tool session. A request without a connection gets a tool session of its own."""
        offer = _offer_of(context)
        key = context.request.headers.get(_SESSION) if context.request is not None else None
        if key is None:
            tool_session = await self._open(offer)
            try:
                yield tool_session
            finally:
                with anyio.CancelScope(shield=True):
                    await in_thread(tool_session.close)
            return
        held = self._tool_sessions.get(key)
        if held is None:
            held = self._tool_sessions[key] = _HeldToolSession()
        held.users += 1
        try:
            async with held.opening:
                if held.tool_session is None:
                    held.tool_session = await self._open(offer)
            yield held.tool_session
        finally:
            held.users -= 1
            held.used_at = time.monotonic()

    async def _open(self, offer: ToolOffer) -> AnyToolSession:
        return await in_thread(offer.open_tool_session)

    async def _sweep(self) -> None:
        """Close connections and tool sessions that have been idle for too long."""
        while True:
            await anyio.sleep(min(_SWEEP_SECONDS, self._limits.idle_seconds / 2))
            oldest = time.monotonic() - self._limits.idle_seconds
            for key, held in list(self._tool_sessions.items()):
                if held.users == 0 and held.used_at < oldest:
                    await self._close_tool_session(key)
            self._connections = {
                key: one for key, one in self._connections.items() if one.users > 0 or one.used_at >= oldest
            }

    async def _close_tool_session(self, key: str) -> None:
        held = self._tool_sessions.pop(key, None)
        if held is not None and held.tool_session is not None:
            with anyio.CancelScope(shield=True), contextlib.suppress(SandboxError):
                await in_thread(held.tool_session.close)


@dataclass
class _Connection:
    """A connection, from its handshake on: how many requests of it are under way, and when the last ended."""

    owner: str
    users: int = 0
    used_at: float = field(default_factory=time.monotonic)
    under_way: set[str] = field(default_factory=set)
    """Ids of requests that are not answered yet."""

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        self.users += 1
        try:
            yield
        finally:
            self.users -= 1
            self.used_at = time.monotonic()


@dataclass
class _HeldToolSession:
    """A connection's tool session, once it has one. It ends when no call comes, even if the connection stays open."""

    tool_session: AnyToolSession | None = None
    users: int = 0
    used_at: float = field(default_factory=time.monotonic)
    opening: anyio.Lock = field(default_factory=anyio.Lock)


def _offer_of(context: ServerRequestContext[Any, Any]) -> ToolOffer:
    assert context.request is not None
    offer: ToolOffer = context.request.state.offer
    return offer


def _ask_for_handshake(version: str) -> Response:
    """A refusal after which clients fall back to ``initialize``."""
    data = {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": version}
    words = "this package's tools keep state, which takes a connection: begin with initialize"
    return _refusal(400, UNSUPPORTED_PROTOCOL_VERSION, words, data)


async def _peek_id(receive: Receive, limit: int) -> tuple[RequestId | None, Receive]:
    """The id of the request in a body of at most ``limit`` bytes, None for anything else; and the body, again."""
    messages: list[Message] = []
    body, is_more = bytearray(), True  # bytes would be copied as a whole for each piece, however small
    while is_more and len(body) <= limit:
        messages.append(await receive())
        body += messages[-1].get("body", b"")
        is_more = messages[-1].get("more_body", False)

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    try:
        message = jsonrpc_message_adapter.validate_python(from_json(body), by_name=False)
    except ValueError:  # the library says what is wrong with it
        return None, again
    return (message.id if isinstance(message, JSONRPCRequest) else None), again


def _refusal(status: int, code: int, words: str, data: Any = None, ident: RequestId | None = None) -> Response:
    error = ErrorData(code=code, message=words, data=data)
    body = JSONRPCError(jsonrpc="2.0", id=ident, error=error).model_dump(mode="json", by_alias=True)
    return Response(json.dumps(body), status_code=status, media_type="application/json")

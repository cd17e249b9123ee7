"""One caller's tools from several packages: described once, and called in processes that keep their state."""

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

from sandbox.blocking import Attend, BlockingSandbox
from sandbox.errors import GuestFaultError, SessionClosedError, TimeLimitError, VerifierFailedError
from sandbox.interface import Source
from sandbox.protocol import SandboxProtocol
from sandbox.sessions.sessions import Session
from schemas.names import import_name
from schemas.tool import BrokenToolError, ToolDescription, ToolResult, words_of_fault

_FORGOTTEN = "\nThe process that it ran in has ended, and what it remembered with it; the next call starts a new one."


class UnknownToolError(VerifierFailedError):
    """No tool of the session has that name."""


class ToolSession:
    """One caller's tools. Each package is one session in an environment box, opened at its first use.

    A package with a ``session`` plays one episode of ``task``: its own tools run in the episode's process, and the
    tools that ``reset()`` lists are acted out by ``step()``. Rewards stay here. ``attend`` (see ``Attend``) sees each
    opening of a session.
    """

    def __init__(
        self,
        sandbox: SandboxProtocol,
        sources: Sequence[Source],
        task: dict[str, Any] | None,
        seed: int = 0,
        *,
        attend: Attend | None = None,
    ) -> None:
        self._packages = [_PackageTools(sandbox, source, task, seed, attend) for source in sources]
        self._owners: dict[str, tuple[_PackageTools, str]] = {}
        self._listed: list[ToolDescription] | None = None
        self._listing = asyncio.Lock()

    async def tools(self) -> list[ToolDescription]:
        """All tools with unique names: two tools of one name get their package's name as a prefix.

        Raises guest faults.
        """
        async with self._listing:
            if self._listed is None:
                self._listed = await self._list()
            return self._listed

    async def _list(self) -> list[ToolDescription]:
        found = [(package, tool) for package in self._packages for tool in await package.tools()]
        count = Counter(tool.name for _, tool in found)
        listed = []
        for package, tool in found:
            name = tool.name if count[tool.name] == 1 else f"{package.prefix}__{tool.name}"[:128]
            self._owners[name] = (package, tool.name)
            listed.append(tool.model_copy(update={"name": name}))
        return listed

    async def opening(self) -> str:
        """The first messages of the episodes as text; empty without an episode."""
        await self.tools()
        return "\n\n".join(package.opening for package in self._packages if package.opening)

    async def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Call a tool. Errors of the package or its caller are results. Raises host faults and UnknownToolError."""
        await self.tools()
        if name not in self._owners:
            raise UnknownToolError(f"there is no tool {name!r}; there is: {', '.join(self._owners) or 'none'}")
        package, inner = self._owners[name]
        return await package.call(inner, arguments)

    async def aclose(self) -> None:
        """End every session. Idempotent."""
        async with AsyncExitStack() as ending:  # goes on where one cannot be ended, and raises that at the end
            for package in self._packages:
                ending.push_async_callback(package.aclose)


class _PackageTools:
    """One package of a tool session, and its session while it has one."""

    def __init__(
        self,
        sandbox: SandboxProtocol,
        source: Source,
        task: dict[str, Any] | None,
        seed: int,
        attend: Attend | None,
    ) -> None:
        self._sandbox = sandbox
        self._attend = attend
        self._source = source
        self._task = task
        self._seed = seed
        self._manager: AbstractAsyncContextManager[Session] | None = None
        self._session: Session | None = None
        self._acted: set[str] = set()
        self._call_numbers = itertools.count(1)
        self._is_over = False
        self._opening = asyncio.Lock()
        self._reset_tools: list[Any] = []
        self.prefix = import_name(source.manifest.id)
        self.opening = ""

    async def tools(self) -> list[ToolDescription]:
        try:
            session = await self._open()
            own = await session.ask({"op": "tools"}) if self._source.manifest.own_tools else []
        except (SessionClosedError, TimeLimitError):
            await self.aclose()
            raise
        return [*self._checked(own), *self._checked(self._reset_tools)]

    async def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        try:
            session = await self._open()
            if name in self._acted:
                return await self._act(session, name, arguments)
            return ToolResult.of(await session.call_tool(name, arguments))
        except (SessionClosedError, TimeLimitError) as ended:
            await self.aclose()
            return ToolResult(text=_head(ended) + _FORGOTTEN, is_error=True)
        except GuestFaultError as fault:
            return ToolResult(text=_head(fault), is_error=True)

    async def _act(self, session: Session, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Pass the call to the episode as an assistant's message. The episode's reply is the result."""
        if self._is_over:
            return ToolResult(text="the episode is over; connect again for another", is_error=True)
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call-{next(self._call_numbers)}", "type": "function", "function": function}
        said = await session.step({"role": "assistant", "content": "", "tool_calls": [call]})
        self._is_over = bool(said.get("done"))
        text = _text(said.get("messages"))
        return ToolResult(text=f"{text}\n(The episode is over.)".strip() if self._is_over else text)

    async def _open(self) -> Session:
        """The session, opened once, even if several callers ask for it at the same time."""
        async with self._opening:
            if self._session is None:
                try:
                    await self._begin()
                except BaseException:  # A session that was opened but not reset must not be used.
                    await self.aclose()
                    raise
            assert self._session is not None
            return self._session

    async def _begin(self) -> None:
        manager = self._sandbox.session(self._source, self._task or {}, seed=self._seed)
        opening = manager.__aenter__()
        self._session = await (opening if self._attend is None else self._attend(opening))
        self._manager = manager
        self._is_over = False
        self._reset_tools = []
        if self._source.manifest.session is not None:
            begun = await self._session.reset()
            self.opening = _text(begun.get("messages"))
            self._reset_tools = begun.get("tools") or []
            self._acted = {tool.name for tool in self._checked(self._reset_tools)}

    def _checked(self, listed: Any) -> list[ToolDescription]:
        try:
            return [ToolDescription.of_function(schema) for schema in listed]
        except (BrokenToolError, TypeError) as broken:
            raise VerifierFailedError(f"{self._source.manifest.id} lists an invalid tool: {broken}") from None

    async def aclose(self) -> None:
        manager, self._manager, self._session = self._manager, None, None
        if manager is not None:
            await manager.__aexit__(None, None, None)


class BlockingToolSession:
    """:class:`ToolSession` from any thread."""

    def __init__(
        self,
        sandbox: BlockingSandbox,
        sources: Sequence[Source],
        task: dict[str, Any] | None,
        seed: int = 0,
        *,
        attend: Attend | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._inner = ToolSession(sandbox.inner, sources, task, seed, attend=attend)

    def tools(self) -> list[ToolDescription]:
        return self._sandbox.run(self._inner.tools())

    def opening(self) -> str:
        return self._sandbox.run(self._inner.opening())

    def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        return self._sandbox.run(self._inner.call(name, arguments))

    def close(self) -> None:
        self._sandbox.run(self._inner.aclose())


def _text(messages: Any) -> str:
    """The text of ``messages``, for a model."""
    said = [str(message.get("content") or "") for message in messages or [] if isinstance(message, dict)]
    return "\n\n".join(text for text in said if text)


def _head(fault: Exception) -> str:
    return words_of_fault(str(fault)) or type(fault).__name__

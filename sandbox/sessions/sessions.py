"""Multi-turn episodes: reset, step, state, branch, undo, close over live processes in environment boxes."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

from sandbox.errors import (
    SessionClosedError,
    VerifierFailedError,
)
from sandbox.guest import frames
from sandbox.guest.vector import BrokenVectorError, check_vector
from sandbox.interface import Source
from schemas.task import canonical_json

AT_RESET = -1


@dataclass
class SessionReplay:
    """What happened when a session's actions were done again from its seed."""

    steps: int
    first_difference: int | None
    """The index of the first step that was answered otherwise, ``AT_RESET`` (-1) if reset() was already; else None."""

    @property
    def is_equal(self) -> bool:
        return self.first_difference is None


class SessionHost(Protocol):
    """Where a session's process is: a box of this machine, or one of another's."""

    def new_ident(self) -> int: ...

    async def ask(self, ident: int, kind: int, payload: bytes) -> Any:
        """Send one request and await its value."""

    async def branch(self, ident: int, new: int) -> None: ...

    async def close(self, ident: int) -> None: ...


class Session:
    """One live episode. Requests go one after the other; guest faults are raised with the author's message.

    After :class:`~sandbox.errors.SessionClosedError` it is over: its process died, took too long, or was closed. Other
    sessions live on.
    """

    def __init__(self, host: SessionHost, ident: int, source: Source, task: dict[str, Any], seed: int) -> None:
        self._host = host
        self._ident = ident
        self._source = source
        self.place_again: Callable[[], Awaitable[tuple[SessionHost, int]] | None] | None = None
        """Finds another place for a session that has not begun, where its box is lost."""
        self.task = task
        self.seed = seed
        self.opening: dict[str, Any] | None = None
        """What reset() returned; None before it."""
        self.history: list[tuple[dict[str, Any], dict[str, Any]]] = []
        """``(message, what step returned)`` of every step that still counts."""
        self._turn = asyncio.Lock()

    async def reset(self) -> dict[str, Any]:
        """Begin; returns ``{"messages": […], "tools": […]}``. A box that is lost before this costs nothing."""
        request = {"op": "reset", "task": self.task, "seed": self.seed}
        try:
            value = await self.ask(request)
        except SessionClosedError:
            elsewhere = self.place_again and self.place_again()
            if elsewhere is None:
                raise
            self._host, self._ident = await elsewhere
            value = await self.ask(request)
        self.place_again = None
        self.history.clear()
        self.opening = _as_dict(value, "reset()")
        return self.opening

    async def step(self, message: dict[str, Any]) -> dict[str, Any]:
        """One message of the model; returns ``{"messages", "done", "rewards"?}``, rewards checked as declared."""
        value = _as_dict(await self.ask({"op": "step", "message": message}), "step()")
        if value.get("rewards") is not None:
            declared = {name: reward.range for name, reward in self._source.manifest.rewards.items()}
            try:
                value["rewards"] = check_vector(value["rewards"], declared)
            except BrokenVectorError as broken:
                raise VerifierFailedError(str(broken)) from None
        self.history.append((message, value))
        return value

    async def state(self) -> dict[str, Any]:
        """What the verifier may see of it."""
        return _as_dict(await self.ask({"op": "state"}), "state()")

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call one of the package's tools in this session's process."""
        return await self.ask({"op": "tool", "name": name, "arguments": arguments})

    async def branch(self) -> "Session":
        """A second session with all of this one's past: memory and folder. Close it like any other."""
        ident = self._host.new_ident()
        other = Session(self._host, ident, self._source, self.task, self.seed)
        async with self._turn:  # a step that is under way belongs to both
            other.opening, other.history = self.opening, list(self.history)
            await self._host.branch(self._ident, ident)
        return other

    async def undo(self) -> None:
        """Go back to before the last step; at most as many in a row as the settings' undo depth."""
        await self.ask({"op": "undo"})
        if self.history:
            self.history.pop()

    async def close(self) -> None:
        """End it. Idempotent."""
        await self._host.close(self._ident)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def ask(self, request: dict[str, Any]) -> Any:
        """One request as the guest reads it; its value as the guest gave it."""
        payload = json.dumps(request, allow_nan=False).encode()
        async with self._turn:
            return await self._host.ask(self._ident, frames.SEND, payload)


async def replay_in(again: Session, session: Session) -> SessionReplay:
    """Do ``session``'s actions in ``again``, a new session of the same task and seed, and close that."""
    try:
        opening = await again.reset()
        if session.opening is not None and canonical_json(opening) != canonical_json(session.opening):
            return SessionReplay(0, AT_RESET)
        for index, (message, before) in enumerate(session.history):
            value = await again.step(message)
            if canonical_json(value) != canonical_json(before):
                return SessionReplay(index + 1, index)
    finally:
        await again.close()
    return SessionReplay(len(session.history), None)


def _as_dict(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise VerifierFailedError(f"the session's {what} must return a dict, not {type(value).__name__}")
    return value

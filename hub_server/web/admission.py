"""Slots for work that takes long: each account has a few, anonymous senders share some, and waiting is bounded.

The work runs in threads of its own, so that the threads which answer ordinary requests are never waiting for it.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial, wraps
from typing import ParamSpec, TypeVar

import anyio
import anyio.to_thread
from starlette.requests import HTTPConnection

from hub_server.errors import (
    BusyError,
    HubServerError,
    NotAuthenticatedError,
    StorageUnavailableError,
    TooManyRequestsError,
)
from hub_server.settings import ExecutionSettings, SlotSettings
from hub_server.web.fair_slots import FairSlots, Held
from hub_server.web.per_loop import PerLoop
from hub_server.web.senders import Sender, sender_of

Result = TypeVar("Result")
P = ParamSpec("P")
_WAITING_EACH = 16
"""How many requests of one sender may wait for a slot; more are refused at once."""


@dataclass
class _Share:
    """One sender's slots while it has any requests here."""

    slots: anyio.CapacityLimiter
    users: int = 0


class Admission:
    """Slots for one kind of work (``what``, for messages: "judgements")."""

    def __init__(self, what: str, slots: SlotSettings, wait_seconds: float) -> None:
        self._what = what
        self._slots = slots
        self._wait_seconds = wait_seconds
        self._total = anyio.CapacityLimiter(slots.total)
        self._anonymous = FairSlots(max(1, slots.anonymous))
        self._threads = anyio.CapacityLimiter(slots.total)
        self._shares: dict[str, _Share] = {}

    @asynccontextmanager
    async def slot(self, sender: Sender) -> AsyncIterator[Held]:
        """Hold a slot for ``sender``. Without an account it may be asked back, where ``Held.end`` is set.

        Raises:
            TooManyRequestsError: the sender's own slots stayed taken for ``wait_seconds``.
            BusyError: all slots, or all for anonymous senders, stayed taken by others.
            NotAuthenticatedError: anonymous senders have no slots of this kind.
            StorageUnavailableError: they have none, and whether the sender is one could not be found out.

        """
        each = self._slots.each if sender.is_account else self._slots.anonymous_each
        if each == 0 or (not sender.is_account and self._slots.anonymous == 0):
            if not sender.is_checked:
                raise StorageUnavailableError("The database could not say whose token this is: try again.")
            raise NotAuthenticatedError(f"This hub runs {self._what} for accounts only: log in (`verihub login`).")
        share = self._shares.setdefault(sender.key, _Share(anyio.CapacityLimiter(each)))
        share.users += 1
        try:
            if share.users > each + _WAITING_EACH:
                raise self._own_slots_taken(each)
            async with self._held(sender, share, each) as held:
                yield held
        finally:
            share.users -= 1
            if share.users == 0:
                del self._shares[sender.key]

    @asynccontextmanager
    async def _held(self, sender: Sender, share: _Share, each: int) -> AsyncIterator[Held]:
        """Take the sender's own slot first: a sender that waits for it then holds none of the slots that all share."""
        deadline = anyio.current_time() + self._wait_seconds
        async with AsyncExitStack() as stack:
            await self._take(share.slots, deadline, lambda: self._own_slots_taken(each), stack)
            held = Held(sender)
            if not sender.is_account:
                found = await self._anonymous.acquire(sender, deadline)
                if found is None:
                    raise self._all_slots_taken()
                held = found
                stack.callback(self._anonymous.release, held)
            await self._take(self._total, deadline, self._all_slots_taken, stack)
            yield held

    async def _take(
        self,
        limiter: anyio.CapacityLimiter,
        deadline: float,
        refusal: Callable[[], HubServerError],
        stack: AsyncExitStack,
    ) -> None:
        holder = object()
        if not await _acquired(limiter, holder, deadline):
            raise refusal()
        stack.callback(limiter.release_on_behalf_of, holder)

    async def run(self, sender: Sender, function: Callable[[], Result]) -> Result:
        """Run a blocking function in a slot. If the caller is cancelled, the slot stays taken until it returns."""
        async with self.slot(sender):
            return await self.in_thread(function)

    async def in_thread(self, function: Callable[[], Result]) -> Result:
        """Run a blocking function for somebody who holds a slot."""
        return await anyio.to_thread.run_sync(function, limiter=self._threads)

    def _own_slots_taken(self, each: int) -> TooManyRequestsError:
        return TooManyRequestsError(
            f"You have {each} {self._what} running here, which is the limit: wait for one to end.",
            retry_after_seconds=max(1.0, self._wait_seconds),
        )

    def _all_slots_taken(self) -> BusyError:
        return BusyError(
            f"This hub runs as many {self._what} as it can, for others: try again in a moment.",
            retry_after_seconds=max(1.0, self._wait_seconds),
        )


async def _acquired(limiter: anyio.CapacityLimiter, holder: object, deadline: float) -> bool:
    """Take a token before ``deadline``; at once when one is free."""
    try:
        limiter.acquire_on_behalf_of_nowait(holder)
    except anyio.WouldBlock:
        with anyio.CancelScope(deadline=deadline) as waiting:
            await limiter.acquire_on_behalf_of(holder)
        return not waiting.cancelled_caught
    return True


@dataclass(frozen=True)
class Admissions:
    """All kinds of work that have slots."""

    calls: Admission
    streams: Admission
    episodes: Admission
    inspections: Admission

    @classmethod
    def of(cls, settings: ExecutionSettings) -> "Admissions":
        """The slots as the operator set them."""
        wait = settings.wait_seconds
        return cls(
            calls=Admission("requests that run code", settings.calls, wait),
            streams=Admission("streams", settings.streams, wait),
            episodes=Admission("episodes", settings.episodes, wait),
            inspections=Admission("uploads that are read", settings.inspections, wait),
        )


def admissions_of(connection: HTTPConnection) -> Admissions:
    """The application's slots."""
    found: PerLoop[Admissions] = connection.app.state.admissions
    return found.get()


async def run_code(connection: HTTPConnection, function: Callable[[], Result]) -> Result:
    """Run ``function``, which executes a package's code, in one of the sender's slots. Hold no transaction then."""
    return await admissions_of(connection).calls.run(sender_of(connection), function)


def runs_code(route: Callable[P, Result]) -> Callable[P, Awaitable[Result]]:
    """A blocking route or dependency that executes a package's code: it runs in a slot, not in a request thread.

    It must take ``request`` by that name, and open short transactions itself, none of them while code runs.
    """

    @wraps(route)
    async def admitted(*args: P.args, **kwargs: P.kwargs) -> Result:
        request = kwargs["request"]
        assert isinstance(request, HTTPConnection)
        return await run_code(request, partial(route, *args, **kwargs))

    return admitted

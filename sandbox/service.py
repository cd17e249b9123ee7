"""The sandbox for callers without an event loop: they hand in their own releases, and get errors of their own types."""

import asyncio
import math
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import aclosing, contextmanager
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from cachetools import LRUCache

from sandbox.audit.drawn_cases import drawn_cases
from sandbox.audit.runner import run_audit
from sandbox.audit.shared_cases import compare_on_cases
from sandbox.blocking import BlockingSandbox, BlockingSession
from sandbox.errors import HostFaultError, ModelUnansweredError, PoolBusyError, SandboxError, SandboxUnavailableError
from sandbox.host.scoring_stream import Judged, judged_channel
from sandbox.interface import Source
from sandbox.models.access import NOT_OFFERED
from sandbox.protocol import SandboxProtocol
from sandbox.sandbox import Sandbox
from sandbox.streams import Channel, StreamCutError, across
from sandbox.tools.tool_session import BlockingToolSession
from schemas.comparison import ComparisonPlan, VerifierComparison
from schemas.evidence.audit import AuditReport
from schemas.evidence.audit_plan import AuditPlan, Progress, ReplayCount
from schemas.manifest import Isolation
from schemas.verdict import ScoreRequest, Verdict

CLOSING_SECONDS = 3.0  # chosen: an engine that works answers in milliseconds; Kubernetes gives a process 30 s to end
_KEPT_SOURCES = 1024  # chosen: a manifest each
_KEPT_COUNTS = 8 * _KEPT_SOURCES  # more than sources: a count that is forgotten would be told again from 0
_Result = TypeVar("_Result")


class Release(Protocol):
    """What every caller's idea of a release has: the digest of its wheel, ``sha256:…``."""

    @property
    def digest(self) -> str: ...


ReleaseT = TypeVar("ReleaseT", bound=Release)


class SandboxService(Generic[ReleaseT]):
    """One sandbox a process, from any thread. It is opened at first use; :meth:`close` ends every box.

    Client and server each have one, over their own type of release. What differs between them is handed in:

    ``make`` makes the sandbox. ``find_source`` brings a release and its locked dependencies onto this disk; its result
    is remembered. ``translate`` turns an error of the sandbox into one of the caller's: it is the only place where that
    happens. A sandbox that could not be had is tried again after ``ask_again_seconds``.
    """

    def __init__(
        self,
        make: Callable[[], SandboxProtocol],
        find_source: Callable[[ReleaseT], Source],
        translate: Callable[[SandboxError], Exception],
        *,
        ask_again_seconds: float = math.inf,
        when_closed: str = "this sandbox is closed: make a new one",
    ) -> None:
        self._make = make
        self._find_source = find_source
        self._translate = translate
        self._ask_again_seconds = ask_again_seconds
        self._when_closed = when_closed
        self._lock = threading.Lock()
        self._asking = threading.Lock()  # its own: an engine that hangs keeps nobody from what is known
        self._ending = threading.Lock()
        self._sandbox: BlockingSandbox | None = None
        self._reason: str | None = None
        self._asked_at = -math.inf
        self._is_closed = False
        self._sources: LRUCache[str, Source] = LRUCache(_KEPT_SOURCES)
        self._replays_taken: LRUCache[str, ReplayCount] = LRUCache(_KEPT_COUNTS)

    # -- whether it can run anything ---------------------------------------------------------------------------------

    def unavailable_reason(self) -> str | None:
        """Why no code can run now and what to do, or None when it can. Cheap: the engine is asked now and then only."""
        with self._asking:
            if not self._is_closed and not self._has_just_asked():
                self._reason = self._ask()
                self._asked_at = time.monotonic()
            if not self._is_closed:
                return self._reason
        self._end_sandbox()  # who closed did not wait for this answer
        return self._when_closed

    def check(self) -> None:
        """Raise the caller's error for a sandbox that cannot be had."""
        with self._errors():
            self._opened()

    def metrics(self) -> str:
        """Prometheus text; empty while there is no sandbox. Starts nothing."""
        sandbox = self._sandbox  # without a lock: an engine that is slow to answer holds one
        return sandbox.render_metrics() if sandbox is not None else ""

    def close(self) -> None:
        """End every box. Harmless to call twice. Whoever waits for an engine that hangs holds this up shortly only."""
        self._is_closed = True
        if self._asking.acquire(timeout=CLOSING_SECONDS):
            self._asking.release()
        self._end_sandbox()

    def _end_sandbox(self) -> None:
        with self._ending:
            sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            sandbox.close()

    # -- verdicts ----------------------------------------------------------------------------------------------------

    def score(
        self, release: ReleaseT, calls: Iterable[ScoreRequest], isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        """Verdicts in completion order, each id exactly once. Closing the iterator cancels what is left."""
        with self._errors():
            sandbox, source = self._opened(), self.source(release)
            attend = partial(self._attended, lambda: sandbox.inner.has_box(source))
            for one in sandbox.judge(source, calls, isolation=isolation, attend=attend):
                yield one.id, one.verdict

    async def score_stream(
        self, release: ReleaseT, calls: AsyncIterator[ScoreRequest], isolation: Isolation | None = None
    ) -> AsyncGenerator[tuple[str, Verdict]]:
        """:meth:`score` for asyncio; calls are judged as they arrive."""
        async with aclosing(self.score_lists(release, calls, isolation=isolation)) as lists:
            async for together in lists:
                for one in together:
                    yield one.id, one.verdict

    async def score_lists(
        self, release: ReleaseT, calls: AsyncIterator[ScoreRequest], *, isolation: Isolation | None = None
    ) -> AsyncGenerator[list[Judged]]:
        """:meth:`score_stream` in lists of what is there, with the size of each reply. Parks no thread."""
        with self._errors():
            sandbox, source = await asyncio.to_thread(lambda: (self._opened(), self.source(release)))

            async def work(arriving: Channel[ScoreRequest], verdicts: Channel[Judged]) -> None:
                judging = sandbox.inner.judge_into(source, arriving, verdicts, isolation=isolation)
                await self._attended(lambda: sandbox.inner.has_box(source), judging)

            async with aclosing(across(sandbox.loop, work, calls, make=judged_channel)) as lists:
                async for together in lists:
                    yield together

    def take_replays(self, release: ReleaseT) -> ReplayCount:
        """What replaying a sample of calls has found for ``release`` since this was last asked. Starts nothing."""
        with self._lock:
            sandbox = self._sandbox
            if sandbox is None or release.digest not in self._sources:
                return ReplayCount(0, 0)
            found = sandbox.replays(self._sources[release.digest])
            before = self._replays_taken.get(release.digest, ReplayCount(0, 0))
            now = self._replays_taken[release.digest] = ReplayCount(found.compared, found.mismatch_count)
        if now.compared < before.compared:  # the sandbox had forgotten the release, and counts from 0 again
            return now
        return ReplayCount(now.compared - before.compared, now.mismatches - before.mismatches)

    def image_digest(self, release: ReleaseT) -> str:
        """What verdicts depend on besides the wheel; the image is built when it is not there."""
        with self._errors():
            return self._opened().image_digest(self.source(release))

    # -- measuring verifiers -----------------------------------------------------------------------------------------

    def audit(self, plan: AuditPlan[ReleaseT], progress: Progress) -> AuditReport:
        """Run an audit to its report."""
        with self._errors():
            sandbox, source = self._opened(), self.source(plan.verifier)
            drawn = sandbox.run(drawn_cases(sandbox.inner, [(self.source(suite), draw) for suite, draw in plan.draws]))
            work = run_audit(
                sandbox.inner,
                source,
                [*plan.cases, *drawn],
                tasks=plan.tasks,
                subject=plan.subject,
                repeats=plan.repeats,
                probes=plan.probes,
                isolation=plan.isolation,
                progress=progress,
                seconds=plan.seconds,
                probe_seed=plan.probe_seed,
                order=plan.order,
                earlier=plan.earlier,
            )
            return sandbox.run(_with_model_calls(sandbox.inner, source, work))

    def compare(self, plan: ComparisonPlan[ReleaseT], progress: Progress) -> VerifierComparison:
        """Two verifiers over the same cases and over seeded probes made from them."""
        with self._errors():
            sandbox, sources = self._opened(), (self.source(plan.first), self.source(plan.second))
            work = compare_on_cases(sandbox.inner, sources, plan.sides, names=plan.names, progress=progress)
            return sandbox.run(work)

    # -- tasks, episodes, tools --------------------------------------------------------------------------------------

    def tasks(
        self, release: ReleaseT, split: str, *, start: int, count: int, seed: int, seconds: float | None = None
    ) -> list[dict[str, Any]]:
        """Rows of a split; a generator runs in a box. Fewer than ``count`` at the split's end.

        ``seconds``: how long it may take with the wait for a box; the box stops then, and ``PoolBusyError`` is
        translated. None: without a limit.
        """
        with self._errors():
            sandbox, source = self._opened(), self.source(release)
            made = sandbox.inner.tasks(source, split, start=start, count=count, seed=seed)
            return self._run(sandbox, source, _within(made, seconds))

    @contextmanager
    def session(self, release: ReleaseT, task: dict[str, Any], *, seed: int) -> Iterator[BlockingSession]:
        """A live episode in a box of its own."""
        with self._errors():
            sandbox = self._opened()
            attend = partial(self._attended, lambda: False)  # who has a session waits for no box
            with sandbox.session(self.source(release), task, seed=seed, attend=attend) as live:

                def run(work: Coroutine[Any, Any, _Result]) -> _Result:
                    with self._errors():
                        return sandbox.run(work)

                yield BlockingSession(run, live.inner)

    def tools(self, release: ReleaseT) -> list[dict[str, Any]]:
        """The package's own tools as function schemas."""
        with self._errors():
            sandbox, source = self._opened(), self.source(release)
            return self._run(sandbox, source, sandbox.inner.tools(source))

    def call_tool(self, release: ReleaseT, name: str, arguments: dict[str, Any]) -> Any:
        """Call one of the package's own tools; what it returned, as JSON data."""
        with self._errors():
            sandbox, source = self._opened(), self.source(release)
            return self._run(sandbox, source, sandbox.inner.call_tool(source, name, arguments))

    def tool_session(self, releases: Sequence[ReleaseT], task: dict[str, Any] | None, seed: int) -> BlockingToolSession:
        """The tools of ``releases`` for one caller; they keep their state until it is closed.

        What its methods raise are the sandbox's own errors: the protocol server that calls them words them itself.
        """
        with self._errors():
            attend = partial(self._attended, lambda: False)  # who has a session waits for no box
            sources = [self.source(release) for release in releases]
            return BlockingToolSession(self._opened(), sources, task, seed, attend=attend)

    # -- below all of them -------------------------------------------------------------------------------------------

    def source(self, release: ReleaseT) -> Source:
        """What boxes of ``release`` are made from: found once, and again where its wheel has gone from the disk."""
        with self._lock:
            is_known = release.digest in self._sources
            known = self._sources[release.digest] if is_known else None  # unlike get(), this counts as a use
        if known is not None and known.wheel.exists():
            return known
        source = self._find_source(release)  # without the lock: it may download
        with self._lock:
            self._sources[release.digest] = source
        return source

    def _ask(self) -> str | None:
        """Make the sandbox where there is none yet, and see that its engine answers."""
        try:
            sandbox = self._sandbox
            if sandbox is None:
                made = self._make()
                if isinstance(made, Sandbox):
                    made.attended = self._attended
                sandbox = self._sandbox = BlockingSandbox(made)
            sandbox.check()
        except HostFaultError as error:
            return str(error)
        except CancelledError:  # it was closed meanwhile
            return self._when_closed
        return None

    def _has_just_asked(self) -> bool:
        return time.monotonic() - self._asked_at < self._ask_again_seconds

    def _reason_in_time(self) -> str | None:
        """:meth:`unavailable_reason` for whoever waits for a verdict: a subclass says how long that may take."""
        return self.unavailable_reason()

    async def _attended(self, has_box: Callable[[], bool], work: Coroutine[Any, Any, _Result]) -> _Result:  # noqa: ARG002
        """What ``work`` gives, which may wait for a box: a subclass says how long. Runs on the sandbox's loop."""
        return await work

    def _run(self, sandbox: BlockingSandbox, source: Source, work: Coroutine[Any, Any, _Result]) -> _Result:
        return sandbox.run(self._attended(lambda: sandbox.inner.has_box(source), work))

    def _opened(self) -> BlockingSandbox:
        reason, sandbox = self._reason_in_time(), self._sandbox
        if reason is not None or sandbox is None:
            raise SandboxUnavailableError(reason or self._when_closed)
        return sandbox

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except StreamCutError as error:
            words = "the sandbox was closed while it judged: open another"
            raise self._translate(SandboxUnavailableError(words)) from error
        except SandboxError as error:
            raise self._translate(error) from error


async def _within(made: Coroutine[Any, Any, _Result], seconds: float | None) -> _Result:
    """Raises ``PoolBusyError`` when the time is over."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await made
    except TimeoutError:
        if not limit.expired():
            raise
        raise PoolBusyError(f"nothing came within {seconds:g} s: others wait for a box too") from None


async def _with_model_calls(
    sandbox: SandboxProtocol, source: Source, audit: Coroutine[Any, Any, AuditReport]
) -> AuditReport:
    """The report, with what the verifier asked a model for it.

    Raises ModelUnansweredError where it asks one and none is offered: such an audit would measure nothing.
    """
    if source.manifest.model is None:
        return await audit
    access = sandbox.access if isinstance(sandbox, Sandbox) else None
    if access is None:
        audit.close()
        raise ModelUnansweredError(NOT_OFFERED.format(package=source.manifest.id))
    access.begin(source.digest)
    report = await audit
    used = access.used(source.digest)
    return report.model_copy(update={"judge_model": used.model, "asked_model": used})

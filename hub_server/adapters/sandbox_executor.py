"""The executor over the sandbox: the only module of the server that imports it."""

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from hub_server.errors import InvalidRequestError, SandboxUnavailableError
from hub_server.ports.executor import (
    AuditPlan,
    ComparisonPlan,
    ExecutableRelease,
    ExecutorSession,
    Progress,
    ReplayCount,
    ScoringCall,
)
from hub_server.settings import SandboxChoice
from sandbox import errors
from sandbox.audit.common_suite import Suite, compare_on_suites
from sandbox.audit.runner import run_audit
from sandbox.backends import make_sandbox
from sandbox.blocking import BlockingSandbox, BlockingSession
from sandbox.images.settings import ImageSettings
from sandbox.images.wheelhouse import source_of
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from sandbox.toolbelt import BlockingToolBelt
from schemas.audit import AuditReport
from schemas.comparison import VerifierComparison
from schemas.manifest import Isolation
from schemas.verdict import Verdict

Result = TypeVar("Result")
_ASK_AGAIN_SECONDS = 5.0


class SandboxExecutor:
    """One sandbox a process, made at first use. While none can be had, every few seconds one more try is made."""

    def __init__(self, choice: SandboxChoice) -> None:
        self._choice = choice
        self._settings = SandboxSettings(trust_local_code=choice.trusted)
        self._images = ImageSettings()
        self._lock = threading.Lock()
        self._sandbox: BlockingSandbox | None = None
        self._reason: str | None = None
        self._asked_at = float("-inf")
        self._sources: dict[str, Source] = {}
        self._replays_taken: dict[str, ReplayCount] = {}
        self._is_closed = False

    def unavailable_reason(self) -> str | None:
        with self._lock:
            if time.monotonic() - self._asked_at < _ASK_AGAIN_SECONDS:
                return self._reason
            self._reason = self._ask()
            self._asked_at = time.monotonic()
            return self._reason

    def _ask(self) -> str | None:
        """Make the sandbox where there is none yet, and see that its engine answers."""
        if self._is_closed:
            return "The hub is stopping."
        try:
            if self._sandbox is None:
                self._sandbox = BlockingSandbox(make_sandbox(self._choice.backend, self._settings))
            self._sandbox.check()
        except errors.HostFaultError as error:
            return str(error)
        return None

    def _get_sandbox(self) -> BlockingSandbox:
        reason = self.unavailable_reason()
        if reason is not None or self._sandbox is None:
            raise SandboxUnavailableError(reason or "The hub is stopping.")
        return self._sandbox

    def score(
        self, release: ExecutableRelease, calls: Iterable[ScoringCall], *, isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        sandbox = self._get_sandbox()
        source = self._source(release)
        with _host_faults():
            yield from sandbox.score(source, (_call(call) for call in calls), isolation=isolation)

    def take_replays(self, release: ExecutableRelease) -> ReplayCount:
        source = self._sources.get(release.digest)
        with self._lock:
            if self._sandbox is None or source is None:
                return ReplayCount(0, 0)
            found = self._sandbox.replays(source)
            before = self._replays_taken.get(release.digest, ReplayCount(0, 0))
            now = self._replays_taken[release.digest] = ReplayCount(found.compared, found.mismatch_count)
        return ReplayCount(now.compared - before.compared, now.mismatches - before.mismatches)

    def tasks(
        self, release: ExecutableRelease, split: str, *, start: int, count: int, seed: int
    ) -> list[dict[str, Any]]:
        with _host_faults():
            return self._get_sandbox().tasks(self._source(release), split, start=start, count=count, seed=seed)

    def audit(self, plan: AuditPlan, progress: Progress) -> AuditReport:
        sandbox = self._get_sandbox()
        source = self._source(plan.verifier)
        with _host_faults():
            return sandbox.run(
                run_audit(
                    sandbox.inner,
                    source,
                    plan.cases,
                    tasks=plan.tasks,
                    subject=plan.subject,
                    repeats=plan.repeats,
                    progress=progress,
                )
            )

    def compare(self, plan: ComparisonPlan, progress: Progress) -> VerifierComparison:
        sandbox = self._get_sandbox()
        sources = self._source(plan.first), self._source(plan.second)
        suites = [Suite(suite.name, suite.cases, suite.tasks) for suite in plan.suites]
        with _host_faults():
            return sandbox.run(compare_on_suites(sandbox.inner, sources, suites, names=plan.names, progress=progress))

    @contextmanager
    def session(self, release: ExecutableRelease, task: dict[str, Any], *, seed: int) -> Iterator[ExecutorSession]:
        with _host_faults():
            source = self._source(release)
            sandbox = self._get_sandbox()
        with sandbox.session(source, task, seed=seed) as session:
            yield _MappedSession(session)

    def tool_belt(
        self, releases: Sequence[ExecutableRelease], task: dict[str, Any] | None, seed: int
    ) -> BlockingToolBelt:
        """The tools of ``releases`` for one caller; its faults are the sandbox's own."""
        return BlockingToolBelt(self._get_sandbox(), [self._source(release) for release in releases], task, seed)

    def _source(self, release: ExecutableRelease) -> Source:
        """The release with its locked dependencies on local disk; fetched once."""
        known = self._sources.get(release.digest)
        if known is not None and known.wheel.exists():
            return known
        with _host_faults():
            source = source_of(Path(release.wheel), self._images)
        self._sources[release.digest] = source
        return source

    def metrics(self) -> str:
        sandbox = self._sandbox
        return sandbox.render_metrics() if sandbox is not None and not self._is_closed else ""

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            sandbox.close()


class _MappedSession:
    """A session of the sandbox whose errors are the hub's."""

    def __init__(self, session: BlockingSession) -> None:
        self._session = session

    def reset(self) -> dict[str, Any]:
        with _host_faults():
            return self._session.reset()

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        with _host_faults():
            return self._session.step(message)

    def state(self) -> dict[str, Any]:
        with _host_faults():
            return self._session.state()

    def branch(self) -> "_MappedSession":
        with _host_faults():
            return _MappedSession(self._session.branch())

    def undo(self) -> None:
        with _host_faults():
            self._session.undo()

    def close(self) -> None:
        with _host_faults():
            self._session.close()


def _call(call: ScoringCall) -> Call:
    return Call(call.id, call.task, call.response, call.messages, call.state, call.files)


@contextmanager
def _host_faults() -> Iterator[None]:
    """The sandbox's own faults are the hub's 503; a package's fault outside a verdict is the request's 422."""
    try:
        yield
    except errors.HostFaultError as error:
        raise SandboxUnavailableError(str(error)) from error
    except errors.SandboxError as error:
        raise InvalidRequestError(f"The package could not do this: {error}") from error

"""Here or there: runs packages in this machine's sandbox; the only module that imports it."""

import asyncio
import importlib
import json
import os
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from hub_client.bridging import LoopBridge
from hub_client.cache import Cache
from hub_client.errors import CheckFailedError, HubClientError, IntegrityError, SandboxMissingError, UsageError
from hub_client.locking_dependencies import fetch_locked
from hub_client.resolving import LoadedPackage
from hub_client.runner import AuditPlan, Progress, RunnerSession
from sandbox import doctor
from sandbox.audit.badge import render_badge
from sandbox.audit.common_suite import Score, Suite, compare_by
from sandbox.audit.openenv_report import openenv_report
from sandbox.audit.rendering import render_markdown, render_terminal
from sandbox.audit.report import report_data, report_digest
from sandbox.audit.runner import run_audit
from sandbox.audit.signing import check_signature, key_id
from sandbox.backends import make_sandbox
from sandbox.blocking import BlockingSandbox
from sandbox.errors import GuestFaultError, HostFaultError, SandboxError
from sandbox.interface import Call, LockedWheel, Source
from sandbox.settings import SandboxSettings
from sandbox.toolbelt import BlockingToolBelt
from schemas.audit import AuditCase, AuditReport
from schemas.comparison import VerifierComparison
from schemas.manifest import Isolation, RewardDeclaration
from schemas.verdict import ScoreRequest, Verdict


class LocalRunner:
    """A sandbox of this process; its boxes are opened at first use."""

    place = "here"

    def __init__(
        self, sandbox: BlockingSandbox, cache: Cache, *, offline: bool = False, own_code_only: bool = False
    ) -> None:
        """``own_code_only``: run project folders, nothing that was downloaded."""
        self._own_code_only = own_code_only
        self._sandbox = sandbox
        self._cache = cache
        self._offline = offline
        self._sources: dict[str, Source] = {}

    def score(
        self, package: LoadedPackage, calls: Iterable[ScoreRequest], isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        """Verdicts in completion order."""
        source = self._source(package)
        with _our_errors():
            yield from self._sandbox.score(source, [_call(request) for request in calls], isolation=isolation)

    async def score_stream(
        self, package: LoadedPackage, calls: AsyncIterator[ScoreRequest], isolation: Isolation | None = None
    ) -> AsyncIterator[tuple[str, Verdict]]:
        """Verdicts in completion order, calls as they come."""
        source = await asyncio.to_thread(self._source, package)

        def compute(arriving: AsyncIterator[ScoreRequest]) -> AsyncIterator[tuple[str, Verdict]]:
            return self._sandbox.inner.score(source, _calls(arriving), isolation=isolation)

        bridge: LoopBridge[ScoreRequest, tuple[str, Verdict]] = LoopBridge(self._sandbox.run, compute)
        with _our_errors():
            async for one in bridge.stream(calls):
                yield one

    def tasks(self, package: LoadedPackage, split: str, *, start: int, count: int, seed: int) -> list[dict[str, Any]]:
        """Rows of a split; a generator runs in a box."""
        source = self._source(package)
        with _our_errors():
            return self._sandbox.tasks(source, split, start=start, count=count, seed=seed)

    @contextmanager
    def session(self, package: LoadedPackage, task: dict[str, Any], *, seed: int) -> Iterator[RunnerSession]:
        """A live episode."""
        source = self._source(package)
        with _our_errors(), self._sandbox.session(source, task, seed=seed) as session:
            yield _TranslatedSession(session)

    def tools(self, package: LoadedPackage) -> list[dict[str, Any]]:
        """The package's tools as function schemas."""
        source = self._source(package)
        with _our_errors():
            return self._sandbox.tools(source)

    def call_tool(self, package: LoadedPackage, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool in a box of its package."""
        source = self._source(package)
        with _our_errors():
            return self._sandbox.call_tool(source, name, arguments)

    def tool_belt(self, packages: Sequence[LoadedPackage], task: dict[str, Any] | None, seed: int) -> BlockingToolBelt:
        """The tools of ``packages`` for one caller; their state lives until it is closed."""
        return BlockingToolBelt(self._sandbox, [self._source(package) for package in packages], task, seed)

    def audit(self, plan: AuditPlan, progress: Progress) -> AuditReport:
        """Measure a verifier."""
        source = self._source(plan.verifier)
        work = run_audit(
            self._sandbox.inner,
            source,
            plan.cases,
            tasks=plan.tasks,
            subject=plan.subject,
            repeats=plan.repeats,
            probes=plan.probes,
            isolation=plan.isolation,
            progress=progress,
        )
        with _our_errors():
            return self._sandbox.run(work)

    def image_digest(self, package: LoadedPackage) -> str:
        """Builds the image when it is not there."""
        source = self._source(package)
        with _our_errors():
            return self._sandbox.image_digest(source)

    def close(self) -> None:
        """End every box."""
        self._sandbox.close()

    def _source(self, package: LoadedPackage) -> Source:
        if self._own_code_only and package.release is not None:
            raise SandboxMissingError(
                f"{package.reference} comes from a hub, and the local backend would run it as root: use Docker, or "
                "read all of it, unpack it (`verihub pull --unpack`) and name the folder"
            )
        if package.digest not in self._sources:
            fetched = fetch_locked(package.contents.lock, self._cache, offline=self._offline)
            lock = tuple(
                LockedWheel(requirement.name, requirement.version, digest.partition(":")[2], path)
                for requirement, digest, path in fetched
            )
            self._sources[package.digest] = Source(package.digest, package.wheel, package.contents.manifest, lock)
        return self._sources[package.digest]


class _TranslatedSession:
    """A session whose errors are the client's, call by call: a broken tool is told to the model."""

    def __init__(self, live: RunnerSession) -> None:
        self._live = live

    def reset(self) -> dict[str, Any]:
        with _our_errors():
            return self._live.reset()

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        with _our_errors():
            return self._live.step(message)

    def state(self) -> dict[str, Any]:
        with _our_errors():
            return self._live.state()

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        with _our_errors():
            return self._live.call_tool(name, arguments)

    def branch(self) -> "RunnerSession":
        with _our_errors():
            return _TranslatedSession(self._live.branch())

    def undo(self) -> None:
        with _our_errors():
            self._live.undo()

    def close(self) -> None:
        self._live.close()


def runs_as_root(backend: str) -> bool:
    """Whether boxes of this backend are root's own processes: anything in them can end and delete everything."""
    return backend == "local" and os.geteuid() == 0 and SandboxSettings().local_as_root


def open_sandbox(name: str) -> BlockingSandbox:
    """A sandbox over the backend of that name, after its engine or cluster has answered once.

    Raises :class:`SandboxMissingError` with what to do.
    """
    try:
        sandbox = BlockingSandbox(make_sandbox(name, SandboxSettings()))
        try:
            sandbox.check()
        except BaseException:
            sandbox.close()
            raise
    except HostFaultError as error:
        raise SandboxMissingError(str(error)) from None
    return sandbox


def load_mcp() -> ModuleType:
    """The sandbox's side of the Model Context Protocol. Raises :class:`UsageError` where its library is missing."""
    try:
        return importlib.import_module("sandbox.mcp_serving")
    except ModuleNotFoundError as error:
        raise UsageError(f"`verihub mcp` needs {error.name}: pip install 'verihub[mcp]'") from None


def examine_host() -> list[tuple[str, str, str]]:
    """What the sandbox finds on this machine: (``ok``, ``warning`` or ``missing``, fact, advice)."""
    return [(finding.level, finding.what, finding.advice) for finding in doctor.examine_host(SandboxSettings())]


def digest_of_report(report: AuditReport) -> str:
    """``sha256:…`` of what a report says, times and latencies aside."""
    return report_digest(report)


def signer_of(report: AuditReport | Mapping[str, Any]) -> tuple[str, str]:
    """(key id, public key in base64) that signed exactly this report.

    Raises :class:`IntegrityError` for one that is unsigned or was changed since.
    """
    try:
        key = check_signature(report)
    except SandboxError as error:
        raise IntegrityError(str(error)) from None
    return key_id(key), key


def report_files(report: AuditReport) -> dict[str, bytes]:
    """The report in every shape that can be written: ``markdown``, ``openenv``, ``badge`` and ``report`` (JSON)."""
    shapes = {"openenv": openenv_report(report), "report": report_data(report)}
    texts = {
        name: json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n" for name, data in shapes.items()
    }
    texts |= {"markdown": render_markdown(report), "badge": render_badge(report)}
    return {name: text.encode() for name, text in texts.items()}


def compare_on_suites(
    score: Score,
    suites: Sequence[tuple[str, Sequence[AuditCase], Mapping[str, dict[str, Any]]]],
    declared: tuple[Mapping[str, RewardDeclaration], Mapping[str, RewardDeclaration]],
    names: tuple[str, str],
    *,
    probes: bool = True,
) -> VerifierComparison:
    """Two verifiers over the same suites, each (whose, cases, tasks by id). ``score`` runs one of them, wherever."""
    common = [Suite(name, cases, tasks) for name, cases, tasks in suites]
    return compare_by(score, common, declared, names, probes=probes)


def render_report(report: AuditReport) -> str:
    """The report for a terminal."""
    return render_terminal(report)


def render_report_markdown(report: AuditReport) -> str:
    """The report as Markdown."""
    return render_markdown(report)


def _call(request: ScoreRequest) -> Call:
    return Call(request.id, request.task or {}, request.response, request.messages, request.state, request.files)


async def _calls(requests: AsyncIterator[ScoreRequest]) -> AsyncIterator[Call]:
    async for request in requests:
        yield _call(request)


@contextmanager
def _our_errors() -> Iterator[None]:
    """The sandbox's errors as the client's: whose fault it was stays in the type."""
    try:
        yield
    except HostFaultError as error:
        raise SandboxMissingError(str(error)) from error
    except GuestFaultError as error:
        raise CheckFailedError(str(error)) from error
    except SandboxError as error:
        raise HubClientError(str(error)) from error

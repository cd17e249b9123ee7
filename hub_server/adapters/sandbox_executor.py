"""The executor over the sandbox: how the hub runs untrusted code."""

import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import aclosing
from typing import Any, TypeVar

from hub_server.adapters.operators_model import OperatorsModel
from hub_server.errors import ExecutionUnavailableError, HubServerError, InvalidRequestError
from hub_server.kernel.looks import LookError, Looks
from hub_server.ports.executor import ExecutableRelease
from hub_server.settings import JudgeSettings, SandboxChoice
from sandbox.errors import HostFaultError, SandboxError, SandboxUnavailableError
from sandbox.host.engine_watch import unless_silent
from sandbox.host.scoring_stream import Judged
from sandbox.images.settings import ImageSettings
from sandbox.images.wheelhouse import source_of
from sandbox.models.access import ModelAccess
from sandbox.protocol import SandboxProtocol
from sandbox.service import SandboxService
from sandbox.settings import SandboxSettings
from sandbox.wiring import build_source, make_access, make_sandbox
from schemas.evidence.audit import AuditReport
from schemas.evidence.audit_plan import AuditPlan, Progress
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, ScoreRequest, Verdict, VerdictError

PATIENCE_SECONDS = 5.0
"""So long a request waits for an engine that does not answer. Chosen: an engine answers in milliseconds, and a client
waits a minute for an answer."""
_ASK_AGAIN_SECONDS = 5.0  # chosen: how old the answer may be whether a sandbox is there
_ADDRESS = re.compile(r"host='[^']*', port=\d+|\w+://\S+")
"""Whoever asks is told that there is no engine, and not where the operator has it."""
_HOST = f"{ErrorKind.HOST}: "
"""How a report begins a failure that is the sandbox's own."""
_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class SandboxExecutor(SandboxService[ExecutableRelease]):
    """The executor. Dependencies come by pip into the host's cache; an engine that is away is asked again."""

    def __init__(self, choice: SandboxChoice, judge: JudgeSettings | None = None) -> None:
        settings, images = SandboxSettings(trust_local_code=choice.trusted), ImageSettings()
        super().__init__(
            lambda: _sandbox(choice, settings, judge or JudgeSettings()),
            lambda release: source_of(release.wheel, images, build=build_source),
            _translated,
            ask_again_seconds=_ASK_AGAIN_SECONDS,
            when_closed="The hub is stopping.",
        )
        self._logged: str | None = None
        self._looks = Looks(self.unavailable_reason, patience_seconds=PATIENCE_SECONDS, name="sandbox-for-requests")

    def unavailable_reason(self) -> str | None:
        """Why no code can run now, without the engine's address, which the log has."""
        reason = super().unavailable_reason()
        told = without_address(reason) if reason is not None else None
        if reason not in (told, self._logged):
            _log.warning("%s", reason)
        self._logged = reason
        return told

    def score(
        self, release: ExecutableRelease, calls: Iterable[ScoreRequest], isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        for ident, verdict in super().score(release, calls, isolation):
            yield ident, _for_strangers(verdict)

    async def score_lists(
        self, release: ExecutableRelease, calls: AsyncIterator[ScoreRequest], *, isolation: Isolation | None = None
    ) -> AsyncGenerator[list[Judged]]:
        async with aclosing(super().score_lists(release, calls, isolation=isolation)) as lists:
            async for together in lists:
                yield [one._replace(verdict=_for_strangers(one.verdict)) for one in together]

    def audit(self, plan: AuditPlan[ExecutableRelease], progress: Progress) -> AuditReport:
        report = super().audit(plan, progress)
        if not any(one.error.startswith(_HOST) for one in report.failures):
            return report
        failures = [
            one.model_copy(update={"error": without_address(one.error)}) if one.error.startswith(_HOST) else one
            for one in report.failures
        ]
        return report.model_copy(update={"failures": failures})

    def _reason_in_time(self) -> str | None:
        """Requests that come while an engine hangs share one thread that asks it."""
        if self._has_just_asked():
            return self._reason
        try:
            return self._looks.found()
        except LookError:
            raise _EngineSilentError from None

    async def _attended(self, has_box: Callable[[], bool], work: Coroutine[Any, Any, _Result]) -> _Result:
        """Whoever waits for a box is told as soon when the engine falls silent while it opens one."""
        return await unless_silent(work, has_box=has_box, see_engine=self._see_engine, every_seconds=PATIENCE_SECONDS)

    async def _see_engine(self) -> None:
        """Raises where it is silent. What it answers is no matter: whoever opens the box is told, and may try again."""
        if not self._has_just_asked():
            try:
                await self._looks.seen()
            except LookError:
                raise _EngineSilentError from None


class _EngineSilentError(SandboxUnavailableError):
    """It takes connections and does not answer: it may in a moment."""

    def __init__(self) -> None:
        super().__init__(
            f"The sandbox's engine has not answered within {PATIENCE_SECONDS:g} seconds: try again in a moment."
        )


def without_address(text: str) -> str:
    """What the sandbox says of its own faults, without where the operator has its engine."""
    return _ADDRESS.sub("the engine", text)


def _for_strangers(verdict: Verdict) -> Verdict:
    error = verdict.error
    if error is None or error.kind is not ErrorKind.HOST:  # what a package says is its author's
        return verdict
    return verdict.model_copy(update={"error": VerdictError(kind=error.kind, message=without_address(error.message))})


def _sandbox(choice: SandboxChoice, settings: SandboxSettings, judge: JudgeSettings) -> SandboxProtocol:
    """Refuses here what the sandbox would refuse by the name of a setting that a hub does not read."""
    if choice.backend == "local" and not choice.trusted:
        raise SandboxUnavailableError(
            "the local backend runs every package's code on this machine without any isolation; set "
            "VERIHUB_SERVER_SANDBOX__TRUSTED=true if you vouch for all who publish here, else use Docker"
        )
    return make_sandbox(choice.backend, settings, _access_maker(judge, settings))


def _access_maker(judge: JudgeSettings, settings: SandboxSettings) -> Callable[[], ModelAccess] | None:
    """Where verifiers ask the operator's model; None where there is none."""
    if not judge.is_offered:
        return None
    seconds = settings.judge_timeout_seconds
    return lambda: make_access(
        OperatorsModel(judge.url, judge.model, judge.key, timeout_seconds=seconds), settings, judge.why_not_asked
    )


def _translated(error: SandboxError) -> HubServerError:
    """The sandbox's own faults are the hub's 503; a package's fault outside a verdict is the request's 422."""
    if isinstance(error, _EngineSilentError):
        return ExecutionUnavailableError(str(error), retry_after_seconds=_ASK_AGAIN_SECONDS)
    if isinstance(error, HostFaultError):
        return ExecutionUnavailableError(without_address(str(error)))
    return InvalidRequestError(f"The package could not do this: {error}")

"""Makes a sandbox from settings: over the boxes of this machine, or over other machines."""

import logging
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from sandbox.backends import BACKENDS, make_backend
from sandbox.errors import SandboxUnavailableError
from sandbox.images.source_wheel import BuiltWheel
from sandbox.models.access import AccessRules, ModelAccess
from sandbox.models.answer_store import AnswerStore
from sandbox.models.budget import JudgeLimits, Prices
from sandbox.models.port import JudgeModel
from sandbox.protocol import SandboxProtocol
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.extras import how_to_install
from schemas.manifest import Manifest

_log = logging.getLogger(__name__)

MANY_MACHINES = ("remote", "ray")
"""Cluster links: their verifiers run on other machines, and cannot ask a model of this one."""
SANDBOXES = (*BACKENDS, *MANY_MACHINES)
"""Every backend and cluster link that can be named."""


def build_source(requirement: str, python: str, digests: Sequence[str] = ()) -> BuiltWheel:
    """Build a dependency's source archive in a box of this machine's engine: see ``sandbox.images.source_builds``.

    Raises SandboxUnavailableError, with what to do, when it cannot work here.
    """
    try:
        from sandbox.backends.docker import source_builder  # noqa: PLC0415 -- docker-py is an extra
    except ModuleNotFoundError as error:
        raise SandboxUnavailableError(
            f"{requirement} has no wheel, and building it in a box needs {error.name}: {how_to_install('sandbox')}"
        ) from None
    return source_builder.build_source(requirement, python, digests)


def make_access(
    model: JudgeModel, settings: SandboxSettings, allows: Callable[[Manifest], str] = lambda _: ""
) -> ModelAccess:
    """Where verifiers ask ``model``, within the settings' limits. ``allows``: why a package may not, or empty."""
    rules = AccessRules(
        run=JudgeLimits(settings.judge_calls, settings.judge_tokens, settings.judge_cost),
        day=JudgeLimits(settings.judge_day_calls, settings.judge_day_tokens, settings.judge_day_cost),
        prices=Prices(settings.judge_prompt_price, settings.judge_answer_price),
        timeout_seconds=settings.judge_timeout_seconds,
        requests=settings.judge_requests,
        allows=allows,
    )
    return ModelAccess(model, rules, _answer_store(settings), lambda: datetime.now(UTC).date())


def _answer_store(settings: SandboxSettings) -> AnswerStore | None:
    """Kept answers; None, and a line in the log, where they cannot be kept."""
    if settings.judge_cache_mb == 0:
        return None
    try:
        return AnswerStore(settings.judge_cache_folder, settings.judge_cache_mb << 20)
    except (OSError, sqlite3.Error) as error:
        _log.warning("a model's answers cannot be kept in %s: %s", settings.judge_cache_folder, error)
        return None


def make_sandbox(
    name: str, settings: SandboxSettings | None = None, access: Callable[[], ModelAccess] | None = None
) -> SandboxProtocol:
    """A sandbox over the backend of that name, or over other machines: Ray's, or those that commands reach.

    ``access`` makes the place where its verifiers ask a model; without it they may not.
    Raises SandboxUnavailableError, with what to do, when it cannot work here.
    """
    settings = settings or SandboxSettings()
    if access is not None and name in MANY_MACHINES:
        raise SandboxUnavailableError(
            f"backend {name} runs verifiers on other machines, where they cannot ask a model: use docker, or offer none"
        )
    if name == "remote":
        from sandbox.cluster.links.command import CommandCluster  # noqa: PLC0415 -- as above
        from sandbox.cluster.sandbox import ClusterSandbox  # noqa: PLC0415 -- only what is asked for is loaded
        from sandbox.cluster.settings import RemoteSettings  # noqa: PLC0415 -- as above

        return ClusterSandbox(CommandCluster(settings, RemoteSettings()), settings)
    if name != "ray":
        return Sandbox(make_backend(name, settings), settings, access=access() if access is not None else None)
    try:
        from sandbox.cluster.links.ray import RayCluster  # noqa: PLC0415 -- ray is an extra
    except ModuleNotFoundError as error:
        raise SandboxUnavailableError(
            f"a sandbox of many machines needs the package {error.name}: {how_to_install('ray')}"
        ) from None
    from sandbox.cluster.sandbox import ClusterSandbox  # noqa: PLC0415 -- only what is asked for is loaded
    from sandbox.cluster.settings import RaySettings  # noqa: PLC0415 -- only what is asked for is loaded

    return ClusterSandbox(RayCluster(settings, RaySettings()), settings)

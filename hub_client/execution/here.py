"""Runs packages in this machine's sandbox. No other module of the client does."""

import importlib
import math
import os
from collections.abc import Callable
from types import ModuleType
from typing import Literal

from hub_client.errors import SandboxMissingError, UsageError
from hub_client.execution.judge_model import ClientJudge
from hub_client.execution.sandbox_errors import as_client_error
from hub_client.releases.cache import Cache
from hub_client.releases.dependencies import fetch_locked
from hub_client.releases.resolve import LoadedPackage, loaded
from hub_client.settings import ClientSettings
from sandbox.checks import doctor
from sandbox.interface import LockedWheel, Source
from sandbox.models.access import ModelAccess
from sandbox.service import SandboxService
from sandbox.settings import SandboxSettings
from sandbox.wiring import make_access, make_sandbox
from schemas.extras import how_to_install


class LocalRunner(SandboxService[LoadedPackage]):
    """The runner of this machine. Its boxes are opened at first use; dependencies come from the client's cache."""

    place = "here"
    most_sessions = 0

    def __init__(self, backend: str, cache: Cache, *, offline: bool = False, judge: ClientJudge | None = None) -> None:
        self._own_code_only = _runs_as_root(backend)
        super().__init__(
            lambda: make_sandbox(backend, SandboxSettings(), _access_maker(judge)),
            lambda package: _with_dependencies(package, cache, offline=offline),
            as_client_error,
            ask_again_seconds=math.inf,
        )

    def source(self, release: LoadedPackage) -> Source:
        """The source of ``release`` for the sandbox. Refuses downloaded code if boxes would be processes of root.

        Checked at each call, before any cache: a folder may hold the same bytes as a downloaded release.
        """
        if loaded(release).release is not None and self._own_code_only:
            raise SandboxMissingError(
                f"{release.reference} comes from a hub, and the local backend would run it as root: use Docker, or "
                "read all of it, unpack it (`verihub pull --unpack`) and name the folder"
            )
        return super().source(release)


def open_runner(settings: ClientSettings, cache: Cache) -> LocalRunner:
    """A runner whose engine or cluster has answered once. Raises :class:`SandboxMissingError` with what to do."""
    judge = None
    if settings.judge_model:
        judge = ClientJudge(
            settings.judge_model, settings.judge_key, offline=settings.offline, cache_dir=settings.cache_dir
        )
    runner = LocalRunner(settings.backend, cache, offline=settings.offline, judge=judge)
    try:
        runner.check()
    except BaseException:
        runner.close()
        raise
    return runner


def _access_maker(judge: ClientJudge | None) -> Callable[[], ModelAccess] | None:
    return (lambda: make_access(judge, SandboxSettings())) if judge is not None else None


def load_mcp(module: Literal["mcp_server", "mcp_http"] = "mcp_server") -> ModuleType:
    """The sandbox's side of the Model Context Protocol. Raises :class:`UsageError` where its library is missing."""
    try:
        return importlib.import_module(f"sandbox.tools.{module}")
    except ModuleNotFoundError as error:
        raise UsageError(f"`verihub mcp` needs {error.name}: {how_to_install('mcp')}") from None


def examine_host() -> list[tuple[str, str, str]]:
    """What the sandbox finds on this machine: (``ok``, ``warning`` or ``missing``, fact, advice)."""
    return [(finding.level, finding.what, finding.advice) for finding in doctor.examine_host(SandboxSettings())]


def _runs_as_root(backend: str) -> bool:
    """Whether this backend's boxes are processes of root. Code in them could end and delete everything."""
    return backend == "local" and os.geteuid() == 0 and SandboxSettings().local_as_root


def _with_dependencies(package: LoadedPackage, cache: Cache, *, offline: bool) -> Source:
    python = package.contents.metadata.box_python
    fetched = fetch_locked(package.contents.lock, cache, offline=offline, python=python)
    lock = tuple(
        LockedWheel(requirement.name, requirement.version, digest.partition(":")[2], path)
        for requirement, digest, path in fetched
    )
    return Source(package.digest, package.wheel, package.contents.manifest, lock, python)

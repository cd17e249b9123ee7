"""Is this host fit to run strangers' code? Each finding says what to do about it."""

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

from sandbox.backends import make_backend
from sandbox.errors import SandboxError
from sandbox.settings import SandboxSettings

_ENGINE_BEFORE_FIXES = (29, 5)


@dataclass(frozen=True)
class Finding:
    """One fact about the host. ``level``: ok, warning, missing. ``advice`` is empty when all is well."""

    level: str
    what: str
    advice: str = ""


def examine_host(settings: SandboxSettings) -> list[Finding]:
    """Look at the engine, its version and runtimes, the kernel, memory and disk. Blocking; changes nothing."""
    findings = [_landlock(), _disk()]
    try:
        backend = make_backend("docker", settings)
    except SandboxError as error:
        return [Finding("missing", "Docker engine", str(error)), *findings]
    try:
        from sandbox.backends.docker import DockerBackend  # noqa: PLC0415 -- docker-py is an extra

        assert isinstance(backend, DockerBackend)
        information = backend.engine.ask("describe itself", lambda api: api.info())
        return [*_engine(information), _runtime(information, settings), _base(backend), *findings]
    except SandboxError as error:
        return [Finding("missing", "Docker engine", str(error)), *findings]
    finally:
        asyncio.run(backend.aclose())


def _engine(information: dict[str, object]) -> list[Finding]:
    version = str(information.get("ServerVersion", "?"))
    findings = [Finding("ok", f"Docker engine {version}")]
    if _numbers(version) < _ENGINE_BEFORE_FIXES:
        advice = (
            "newer ones refuse AF_ALG and AF_VSOCK by default and mend docker cp; our profile, and never copying into "
            "a running box, keep boxes safe from these, not other containers on this machine"
        )
        findings.append(Finding("warning", f"engine {version} is older than 29.5", advice))
    if not information.get("MemoryLimit") or not information.get("PidsLimit"):
        findings.append(
            Finding(
                "missing", "memory or process limits", "enable the memory and pids cgroup controllers on this kernel"
            )
        )
    options = " ".join(str(option) for option in _list(information.get("SecurityOptions")))
    if "seccomp" not in options:
        findings.append(
            Finding("missing", "seccomp", "use an engine and a kernel built with seccomp: boxes rely on it")
        )
    if "userns" not in options and "rootless" not in options:
        advice = 'in production set "userns-remap": "default" in /etc/docker/daemon.json'
        findings.append(Finding("warning", "root inside a container is root outside", advice))
    return findings


def _runtime(information: dict[str, object], settings: SandboxSettings) -> Finding:
    runtimes = information.get("Runtimes")
    known = sorted(runtimes) if isinstance(runtimes, dict) else []
    if settings.runtime and settings.runtime not in known:
        return Finding("missing", f"runtime {settings.runtime}", f"add it to /etc/docker/daemon.json; known: {known}")
    if settings.runtime:
        return Finding("ok", f"runtime {settings.runtime}")
    advice = "" if "runsc" in known else "for a second wall between strangers and the kernel, install gVisor (runsc)"
    return Finding("ok" if "runsc" in known else "warning", f"runtimes: {', '.join(known) or 'none'}", advice)


def _base(backend: object) -> Finding:
    from sandbox.backends.docker import DockerBackend  # noqa: PLC0415 -- docker-py is an extra
    from sandbox.images.base import find_base  # noqa: PLC0415 -- only where there is an engine

    assert isinstance(backend, DockerBackend)
    if find_base(backend.engine) is None:
        return Finding("missing", "base image", "scripts/base_image makes it; the first box does so too")
    return Finding("ok", "base image")


def _landlock() -> Finding:
    listed = Path("/sys/kernel/security/lsm")
    try:
        has = "landlock" in listed.read_text()
    except OSError:
        return Finding("ok", "Landlock: the box will say (securityfs is not mounted here)")
    return Finding("ok", "Landlock") if has else Finding("warning", "no Landlock", "a kernel from 5.13 on has it")


def _disk() -> Finding:
    free = shutil.disk_usage("/").free >> 20
    if free < 2048:
        return Finding("warning", f"{free} MB of disk are free", "images need about 100 MB a package: make room")
    return Finding("ok", f"{free} MB of disk are free")


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.partition("+")[0].partition("-")[0].split(".")
    return tuple(int(part) for part in parts[:2] if part.isdigit())


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []

"""Checks whether this host can run untrusted code. Each finding says what to do."""

import asyncio
import json
import shutil
import socket
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandbox.backends import make_backend
from sandbox.backends.docker import fitness
from sandbox.backends.docker.gvisor import is_gvisor
from sandbox.errors import SandboxError
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings

if TYPE_CHECKING:
    from sandbox.backends.docker.backend import DockerBackend

_ENGINE_BEFORE_FIXES = (29, 5)
_DISK_WARNING_MB, _DISK_NEEDED_MB = 4096, 512
_GVISOR_ARGUMENTS = ("--network=none", "--oci-seccomp")
_TRIAL: dict[str, Any] = {
    "code": "def f(x):\n    return x + 1\n",
    "argv": None,
    "files": {},
    "stdin": "",
    "entry": "f",
    "calls": [[1]],
    "timeout_seconds": 10,
    "memory_mb": 64,
}
_INSTALL = (
    "install one (docs.docker.com/engine/install; on Debian `apt-get install docker.io`), or run scripts/docker_engine"
)


@dataclass(frozen=True)
class Finding:
    """One fact about the host. ``level``: ok, warning or missing. ``advice`` is empty if there is nothing to do."""

    level: str
    what: str
    advice: str = ""


def examine_host(settings: SandboxSettings) -> list[Finding]:
    """Check the engine, its limits and runtimes, the base image and the disk, and run one call in a real box.

    Blocking. It changes nothing except that box, and builds no base image.
    """
    try:
        backend = make_backend("docker", settings)
    except SandboxError as error:
        return [Finding("missing", "Docker client", str(error)), _disk(Path("/"))]
    from sandbox.backends.docker.backend import DockerBackend  # noqa: PLC0415 -- docker-py is an extra

    assert isinstance(backend, DockerBackend)
    try:
        information = backend.engine.information
    except SandboxError as error:
        asyncio.run(backend.aclose())
        return [_no_engine(backend.engine.address, str(error)), _disk(Path("/"))]
    podman = backend.engine.is_podman
    findings = [
        *_engine(information, is_podman=podman),
        _runtime(information, settings),
        _disk(_data_folder(information)),
    ]
    base = _base(backend)
    asyncio.run(backend.aclose())
    findings.append(base)
    if base.level == "ok" and not any(finding.level == "missing" for finding in findings):
        findings += asyncio.run(_trial(settings))
    return findings


# -- the engine ------------------------------------------------------------------------------------------------------


def _no_engine(address: str, words: str) -> Finding:
    """The engine is not installed, not running, or not accessible. Each has its own remedy."""
    if not address.startswith("unix://"):
        return Finding("missing", f"no Docker engine answers at {address}", f"{words}; start it, or name another")
    path = Path(address.removeprefix("unix://"))
    try:
        is_socket = stat.S_ISSOCK(path.stat().st_mode)
    except PermissionError:
        is_socket = True
    except OSError:
        is_socket = False
    if not is_socket:
        if shutil.which("dockerd") is None and shutil.which("docker") is None:
            return Finding("missing", "no Docker engine is installed", _INSTALL)
        return Finding(
            "missing",
            f"no Docker engine runs (no socket at {path})",
            "`sudo systemctl start docker`, or scripts/docker_engine",
        )
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(2)
        try:
            line.connect(str(path))
        except PermissionError:
            advice = "`sudo usermod -aG docker $USER` and log in again (members of that group are root on this machine)"
            return Finding("missing", f"no rights on the engine's socket {path}", advice)
        except OSError:
            advice = "`sudo systemctl restart docker`; its socket exists but nobody listens on it"
            return Finding("missing", f"the Docker engine at {path} has ended", advice)
    return Finding("missing", f"the Docker engine at {path} does not answer", words)


def _engine(information: dict[str, object], *, is_podman: bool = False) -> list[Finding]:
    version = str(information.get("ServerVersion", "?"))
    findings = [Finding("ok", f"{'podman' if is_podman else 'Docker engine'} {version}")]
    if is_podman:
        advice = "only the bytes of a call's files are limited, and podman must be able to read the seccomp profile"
        findings.append(Finding("warning", "podman cannot limit the number of files", advice))
    elif _numbers(version) < _ENGINE_BEFORE_FIXES:
        advice = (
            "newer engines refuse AF_ALG and AF_VSOCK by default and copy files safely; boxes are safe without that, "
            "other containers on this machine are not"
        )
        findings.append(Finding("warning", f"engine {version} is older than 29.5", advice))
    findings += [Finding("missing", fact, advice) for fact, advice in fitness.what_is_missing(information)]
    if not fitness.can_limit_cpu(information):
        advice = "one box may use every processor and slow down the others; use a kernel with CONFIG_CFS_BANDWIDTH"
        findings.append(Finding("warning", "the engine cannot limit processors", advice))
    options = fitness.options_of(information)
    if "userns" not in options and "rootless" not in options:
        advice = 'in production set "userns-remap": "default" in /etc/docker/daemon.json'
        findings.append(Finding("warning", "root inside a container is root outside", advice))
    return findings


def _runtime(information: dict[str, Any], settings: SandboxSettings) -> Finding:
    runtimes = information.get("Runtimes") or {}
    wanted = settings.runtime
    if not wanted:
        known = ", ".join(sorted(runtimes)) or "none"
        advice = (
            ""
            if "runsc" in runtimes
            else "gVisor gives a second barrier between packages and the kernel (docs/explanation/sandbox.md)"
        )
        return Finding("ok" if "runsc" in runtimes else "warning", f"runtimes: {known}", advice)
    if wanted not in runtimes:
        return Finding("missing", f"the engine knows no runtime {wanted}", how_to_add(wanted))
    arguments = runtimes[wanted].get("runtimeArgs") or []
    lacking = [argument for argument in _GVISOR_ARGUMENTS if argument not in arguments]
    if is_gvisor(wanted) and lacking:
        return Finding("missing", f"runtime {wanted} lacks {' and '.join(lacking)}", how_to_add(wanted))
    return Finding("ok", f"runtime {wanted}")


def how_to_add(runtime: str) -> str:
    """What to add to the engine's settings, and how to reload them without a restart."""
    program = "runsc" if is_gvisor(runtime) else runtime
    path = shutil.which(program) or f"/usr/bin/{program}"
    arguments = ["--platform=ptrace", *_GVISOR_ARGUMENTS] if is_gvisor(runtime) else []
    entry = json.dumps({"runtimes": {runtime: {"path": path, "runtimeArgs": arguments}}})
    install = "" if shutil.which("runsc") or not is_gvisor(runtime) else "`apt-get install runsc`, then "
    platform = " (--platform=systrap or kvm where runsc has it: faster)" if is_gvisor(runtime) else ""
    return f"{install}put {entry} into /etc/docker/daemon.json{platform} and `kill -HUP $(pidof dockerd)`: no restart"


# -- what boxes are made of ------------------------------------------------------------------------------------------


def _base(backend: "DockerBackend") -> Finding:
    from sandbox.images.base import find_base  # noqa: PLC0415 -- only where there is an engine
    from sandbox.images.settings import ImageSettings  # noqa: PLC0415 -- likewise

    if find_base(backend.engine) is not None:
        return Finding("ok", "base image")
    advice = "scripts/base_image makes it (a minute or two); the first box does so too"
    if shutil.which("mmdebstrap") is not None:
        return Finding("warning", "no base image yet", advice)
    wanted = ImageSettings().registry_image
    if wanted and _registry_answers(backend, wanted):
        return Finding("warning", "no base image yet", advice)
    return Finding(
        "missing",
        f"no base image, no registry that has {wanted or 'one'}, and no mmdebstrap",
        "`apt-get install mmdebstrap`, or let the engine reach a registry; then scripts/base_image",
    )


def _registry_answers(backend: "DockerBackend", image: str) -> bool:
    try:
        ask: Any = backend.engine.ask  # docker-py does not type this call
        ask("ask a registry", lambda api: api.inspect_distribution(image))
    except SandboxError:
        return False
    return True


async def _trial(settings: SandboxSettings) -> list[Finding]:
    """Opens a real box under the configured runtime and judges one call in it."""
    started = time.monotonic()
    try:
        async with Sandbox(make_backend("docker", settings), settings) as sandbox:
            [box, *_] = await sandbox.pool.solution_dispatcher().boxes.ensure(1)
            reply = json.loads((await sandbox.pool.solve(json.dumps(_TRIAL).encode())).reply)
    except SandboxError as error:
        under = f" under {settings.runtime}" if settings.runtime else ""
        advice = how_to_add(settings.runtime) if settings.runtime else "the engine's log says more"
        return [Finding("missing", f"no box starts{under}", f"{error}; {advice}")]
    if reply.get("results") != [{"value": 2}]:
        return [Finding("missing", "a box starts and a call in it fails", str(reply.get("error") or reply))]
    found = [Finding("ok", f"a box ran a call, {time.monotonic() - started:.1f} s after it was asked for")]
    if is_gvisor(settings.runtime):
        return found
    if box.info.landlock:
        return [*found, Finding("ok", f"Landlock (ABI {box.info.landlock})")]
    advice = (
        "Linux 5.13 and later have it if their list of security modules includes landlock; "
        "boxes are restricted in other ways too"
    )
    return [*found, Finding("warning", "no Landlock", advice)]


def _data_folder(information: dict[str, Any]) -> Path:
    """The folder in which the engine keeps images, if it is on this machine."""
    folder = Path(str(information.get("DockerRootDir") or "/"))
    return folder if folder.exists() else Path("/")


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free >> 20
    if free >= _DISK_WARNING_MB:
        return Finding("ok", f"{free} MB of disk are free at {folder}")
    level = "warning" if free >= _DISK_NEEDED_MB else "missing"
    advice = "the base image takes 100 MB, a package with dependencies as much again: make room"
    return Finding(level, f"{free} MB of disk are free at {folder}", advice)


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.partition("+")[0].partition("-")[0].split(".")
    return tuple(int(part) for part in parts[:2] if part.isdigit())

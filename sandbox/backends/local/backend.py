"""Boxes as plain processes: the same guest and the same protocol, without isolation. For an author's own code."""

import asyncio
import contextlib
import hashlib
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import cast

import sandbox
from sandbox.backends.processor_wait import seconds_waited
from sandbox.backends.stderr_tail import StderrTail
from sandbox.errors import SandboxUnavailableError
from sandbox.host.wheel_contents import contents_of
from sandbox.interface import BoxLayout, BoxSpec, Connection, Receiver, Source
from sandbox.settings import SandboxSettings
from schemas.names import digest_of
from schemas.wheels.archive import read_archive
from schemas.wheels.box_files import box_files
from schemas.wheels.box_python import as_numbers

_GUEST = Path(sandbox.__file__).parent / "guest" / "__main__.py"
_START = Path(__file__).with_name("start.py")
_FLAGS = ("-s", "-P")
"""All of ``-I`` but ``-E``, which would ignore the hash seed; the environment has no other ``PYTHON…`` variable."""
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
_FIRST_USER, _USERS = 61_000, 2_000  # free of names on the usual systems
_SETGID, _SETUID = 6, 7
_END_SECONDS = 0.25  # chosen: a process that has closed its line is nearly always gone by then


class LocalBackend:
    """Starts ``python -s -P sandbox/guest/__main__.py`` on this machine. Refuses unless ``trust_local_code`` is set.

    When root starts it, each box runs as its own unprivileged user, so it can kill or delete only what is its own.
    """

    name = "local"

    def __init__(self, settings: SandboxSettings) -> None:
        if not settings.trust_local_code:
            raise SandboxUnavailableError(
                "the local backend runs a package's code on this machine without any isolation; set "
                "VERIHUB_SANDBOX_TRUST_LOCAL_CODE=true if you wrote or read all of it, else use Docker"
            )
        self._users = _unprivileged_users(settings)
        self._root = Path(tempfile.mkdtemp(prefix="verihub-local-"))
        if self._users is not None:
            self._root.chmod(0o711)

    async def open(self, spec: BoxSpec, receiver: Receiver) -> Connection:
        """Unpack the release if it is new here, start the process."""
        if as_numbers(spec.python) > sys.version_info[:2]:
            raise SandboxUnavailableError(
                f"the package is for Python {spec.python}, and the local backend runs it on this one, "
                f"{sys.version_info[0]}.{sys.version_info[1]}: use Docker, whose boxes have it"
            )
        paths = await asyncio.to_thread(self._import_paths, spec.source)
        work_folder = tempfile.mkdtemp(prefix="work-", dir=self._root)
        layout = BoxLayout(paths, work_folder, _python_digest())
        python = [sys.executable, *_FLAGS]
        command = [*python, str(_GUEST)]
        if self._users is not None:
            uid = next(self._users)
            os.chown(work_folder, uid, uid)
            reads = [] if _is_open_to_others(Path(sys.executable)) and _is_open_to_others(_GUEST) else ["read"]
            command = [*python, str(_START), str(uid), str(_GUEST), *reads]
        ours, theirs = socket.socketpair()
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=asyncio.subprocess.PIPE,
                env=_ENVIRONMENT | dict(pair.split("=", 1) for pair in spec.environment),
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise SandboxUnavailableError(f"the local backend could not start {sys.executable}: {error}") from error
        except BaseException:  # The caller has been cancelled.
            ours.close()
            raise
        finally:
            theirs.close()
        connection = _LocalConnection(process, layout, receiver)
        try:
            await asyncio.get_running_loop().create_connection(lambda: connection, sock=ours)
        except BaseException:
            ours.close()
            await connection.kill()
            raise
        return connection

    async def image_digest(self, source: Source) -> str:
        """The interpreter and the package's locked dependencies."""
        parts = [_python_digest(), *sorted(wheel.sha256 for wheel in source.lock)]
        return digest_of("\n".join(parts).encode())

    async def reap(self) -> int:
        """Nothing to collect: a local box ends by end of file when its owner ends."""
        return 0

    async def aclose(self) -> None:
        """Remove what was unpacked."""
        await asyncio.to_thread(shutil.rmtree, self._root, ignore_errors=True)

    def _import_paths(self, source: Source | None) -> tuple[str, ...]:
        if source is None:
            return ()
        return (self._unpacked(source), *(self._unpacked_wheel(wheel.path, wheel.sha256) for wheel in source.lock))

    def _unpacked(self, source: Source) -> str:
        folder = self._root / source.digest.removeprefix("sha256:")[:40]
        if not folder.exists():
            _write_files(folder, box_files(contents_of(source).files, source.manifest))
        return str(folder)

    def _unpacked_wheel(self, path: Path, sha256: str) -> str:
        folder = self._root / sha256[:40]
        if not folder.exists():
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() != sha256:
                raise SandboxUnavailableError(f"{path.name} is not the wheel that was locked: fetch it again")
            _write_files(folder, read_archive(data))
        return str(folder)


class _LocalConnection(asyncio.Protocol):
    """One process's connection. ``kill`` ends whatever it has started too."""

    def __init__(self, process: asyncio.subprocess.Process, layout: BoxLayout, receiver: Receiver) -> None:
        self._process = process
        self._layout = layout
        self._receiver = receiver
        self._transport: asyncio.Transport | None = None
        self._is_killed = False
        self._own_end: asyncio.Task[int | None] | None = None
        """How the process ended, where it did so before we ended it; None: its line is closed, and it lives."""
        assert process.stderr is not None
        self._stderr = StderrTail()
        self._listening = asyncio.get_running_loop().create_task(self._stderr.listen(process.stderr))

    @property
    def layout(self) -> BoxLayout:
        return self._layout

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        line = cast("asyncio.Transport", transport)  # of another class on other loops (uvloop)
        self._transport = line

    def data_received(self, data: bytes) -> None:
        self._receiver.received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._is_killed:
            self._own_end = asyncio.get_running_loop().create_task(self._ended())
        self._receiver.closed("the process ended" if exc is None else f"the line broke: {exc}")

    def send(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def stderr_tail(self) -> str:
        return self._stderr.text

    def seconds_waited(self) -> float:
        """By the threads of the zygote."""
        return seconds_waited([self._process.pid])

    async def _ended(self) -> int | None:
        try:
            return await asyncio.wait_for(self._process.wait(), _END_SECONDS)
        except TimeoutError:
            return None

    async def was_killed(self) -> bool:
        """By the exit status. A package that kills itself looks the same, and is an author's own code here."""
        return self._own_end is not None and await asyncio.shield(self._own_end) == -signal.SIGKILL

    async def kill(self) -> None:
        is_first, self._is_killed = not self._is_killed, True
        if self._own_end is not None:
            await asyncio.shield(self._own_end)  # before it is ended by us, which would look like another's doing
        if is_first and self._process.returncode is None:  # Once it is reaped, its pid may belong to another process.
            _end_all(self._process.pid)
        if self._transport is not None:
            self._transport.abort()
        await self._process.wait()
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)
        await asyncio.to_thread(shutil.rmtree, self._layout.work_folder, ignore_errors=True)


def _end_all(zygote: int) -> None:
    """End a box: its zygote and whatever that has started, each in a process group of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(zygote, signal.SIGSTOP)  # it starts no more
    below = [zygote]
    for pid in below:
        with contextlib.suppress(OSError):
            below += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    for pid in below:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write checked contents; a folder appears whole or not at all."""
    part = Path(tempfile.mkdtemp(prefix="part-", dir=folder.parent))
    for name, data in files.items():
        path = part / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for path in (part, *part.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # Readable for the user that the box will run as.
    try:
        part.rename(folder)
    except OSError:  # Another box of the same release was faster.
        shutil.rmtree(part)


def _unprivileged_users(settings: SandboxSettings) -> Iterator[int] | None:
    """User ids for the boxes of this backend; None where it is not root's, or may run as root."""
    if os.geteuid() != 0:
        return None
    if settings.local_as_root:
        return None
    if not _may_change_users():
        raise SandboxUnavailableError(
            "this is root without the right to become another user, so the local backend would run a package's code as "
            "root, which can end and delete everything here; use Docker, start this as another user, or set "
            "VERIHUB_SANDBOX_LOCAL_AS_ROOT=true if you wrote or read all of the code"
        )
    first = os.getpid()
    return (_FIRST_USER + (first + number) % _USERS for number in count())


def _may_change_users() -> bool:
    """Whether this process has the capabilities that changing users takes."""
    try:
        status = Path("/proc/self/status").read_text()
        held = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:"))
    except (OSError, StopIteration, ValueError):
        return False
    return bool(held >> _SETUID & 1 and held >> _SETGID & 1)


def _is_open_to_others(path: Path) -> bool:
    """Whether any user may read ``path``, through links and all folders above."""
    real = path.resolve()
    return bool(real.stat().st_mode & 0o004) and all(folder.stat().st_mode & 0o001 for folder in real.parents)


def _python_digest() -> str:
    return digest_of(f"local python {sys.version}".encode())

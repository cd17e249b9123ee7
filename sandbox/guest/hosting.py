"""The zygote's side of sessions: one socket each, a clock for each request, frames relayed without being read."""

import os
import select
import signal
import socket
import time
from dataclasses import dataclass
from typing import Any

from sandbox.guest import cleaning, frames
from sandbox.guest.call import Package
from sandbox.guest.line import Line
from sandbox.guest.messages import (
    ASK,
    BORN,
    PART_BYTES,
    PART_OF_ASK,
    PART_OF_REQUEST,
    PART_OF_SAY,
    PART_OF_SOLVED,
    REQUEST,
    SAY,
    SOLVED,
)
from sandbox.guest.session import SessionProcess

_NEVER = float("inf")
_TICK_SECONDS = 1.0


@dataclass
class _Live:
    """One session as the zygote knows it. ``deadline`` runs while a request is under way."""

    ident: int
    sock: socket.socket
    group: int
    deadline: float = _NEVER
    unborn: int = 0
    """Id that the host gave to the branch that this session is making."""
    paused_at: float = 0.0


class Sessions:
    """Serves OPEN, SEND, BRANCH, CLOSE and SOLVED frames for any number of sessions of one package."""

    def __init__(self, package: Package, config: dict[str, Any]) -> None:
        self._package = package
        self._config = config
        self._work_folder = config["work_folder"]
        self._call_seconds = float(config["call_seconds"])
        self._live: dict[int, _Live] = {}
        self._by_descriptor: dict[int, _Live] = {}
        self._poll = select.poll()

    def serve(self, line: Line) -> None:
        """Until the host hangs up (HostGoneError)."""
        self._poll.register(line.incoming, select.POLLIN)
        while True:
            nearest = min((live.deadline for live in self._live.values()), default=_NEVER)
            wait = min(_TICK_SECONDS, max(0.0, nearest - time.monotonic()))
            for descriptor, _ in self._poll.poll(wait * 1000):
                if descriptor == line.incoming:
                    self._take_frame(line)
                elif descriptor in self._by_descriptor:
                    self._take_message(line, self._by_descriptor[descriptor])
            line.forget_relay()
            now = time.monotonic()
            for live in [live for live in self._live.values() if live.deadline <= now]:
                self._end(line, live, frames.TIMED_OUT)
            _reap()

    # -- from the host -----------------------------------------------------------------------------------------------

    def _take_frame(self, line: Line) -> None:
        kind, ident, length = line.read_frame()
        if kind == frames.OPEN:
            self._open(line, ident)
            return
        live = self._live.get(ident)
        if live is None:
            return  # it has ended meanwhile; the host knows or will
        if kind == frames.CLOSE:
            self._end(line, live, frames.FINISHED)
        elif kind == frames.SOLVED:
            live.deadline += time.monotonic() - live.paused_at
            self._pass_on(line, live, length, PART_OF_SOLVED, SOLVED)
        elif kind in (frames.SEND, frames.BRANCH):
            if kind == frames.BRANCH:
                (live.unborn,) = frames.SESSION_ID.unpack(line.request[:8])
                line.request[: len(_BRANCH_REQUEST)] = _BRANCH_REQUEST
                length = len(_BRANCH_REQUEST)
            live.deadline = time.monotonic() + self._call_seconds
            self._pass_on(line, live, length, PART_OF_REQUEST, REQUEST)

    def _open(self, line: Line, ident: int) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        folder = f"{self._work_folder}/s{ident}"
        pid = os.fork()
        if pid == 0:
            self._become_session(line, ours, theirs, folder)
        theirs.close()
        os.setpgid(pid, pid)
        self._add(_Live(ident, ours, pid))

    def _become_session(self, line: Line, ours: socket.socket, theirs: socket.socket, folder: str) -> None:
        try:
            os.setpgid(0, 0)
            line.drop()
            ours.close()
            for other in self._live.values():
                other.sock.close()
            os.dup2(0, 2)
            line.forget_request()
            os.mkdir(folder)
            SessionProcess(self._package, theirs, folder, self._config).serve()
        finally:
            os._exit(70)

    def _pass_on(self, line: Line, live: _Live, length: int, part: int, last: int) -> None:
        data = line.request[:length]
        live.sock.settimeout(self._call_seconds)
        try:
            for start in range(0, max(1, length), PART_BYTES):
                is_last = start + PART_BYTES >= length
                live.sock.sendmsg([bytes((last if is_last else part,)), data[start : start + PART_BYTES]])
        except OSError:
            self._end(line, live, frames.EXITED)

    # -- from the sessions -------------------------------------------------------------------------------------------

    def _take_message(self, line: Line, live: _Live) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(live.sock, PART_BYTES + 1, 1, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        if not data:
            self._end(line, live, frames.EXITED)
            return
        kind = data[0]
        if kind == BORN and descriptors and live.unborn:
            self._take_newborn(live, data[1:], descriptors.pop())
        elif kind in (SAY, PART_OF_SAY):
            if kind == SAY:
                live.deadline = _NEVER
            line.write(frames.SAID, live.ident, bytes((1 if kind == SAY else 0,)) + data[1:])
        elif kind in (ASK, PART_OF_ASK):
            live.paused_at = time.monotonic()
            line.write(frames.ASK, live.ident, bytes((1 if kind == ASK else 0,)) + data[1:])
        for descriptor in descriptors:
            os.close(descriptor)

    def _take_newborn(self, parent: _Live, pid: bytes, descriptor: int) -> None:
        """Only the session that the host told to branch may bring one into the world, and only under the host's id."""
        ident, parent.unborn = parent.unborn, 0
        parent.deadline = _NEVER
        group = int(pid) if pid.isdigit() and int(pid) > 1 else 0
        if group == 0:
            os.close(descriptor)  # the session's own code spoke out of turn; the host's clock tells whoever waits
            return
        self._add(_Live(ident, socket.socket(fileno=descriptor), group, time.monotonic() + self._call_seconds))

    # -- beginnings and ends -----------------------------------------------------------------------------------------

    def _add(self, live: _Live) -> None:
        self._live[live.ident] = live
        self._by_descriptor[live.sock.fileno()] = live
        self._poll.register(live.sock, select.POLLIN)

    def _end(self, line: Line, live: _Live, status: int) -> None:
        """Kill its whole group, forget it, say so."""
        if self._live.pop(live.ident, None) is None:
            return
        self._by_descriptor.pop(live.sock.fileno(), None)
        self._poll.unregister(live.sock)
        live.sock.close()
        try:
            os.killpg(live.group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        _reap()
        if not self._live:
            cleaning.wipe(self._work_folder)
        line.write(frames.ENDED, live.ident, frames.OUTCOME.pack(status, 0, 0, 0, 0, 0, 0))


_BRANCH_REQUEST = b'{"op":"branch"}'


def _reap() -> None:
    """Collect whoever has died, adopted orphans included."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return

"""The zygote's side of sessions: one socket each, a clock for each request, frames relayed without being read."""

import contextlib
import os
import resource
import select
import signal
import socket
import time
from dataclasses import dataclass, field
from typing import Any

from sandbox.guest import cleaning, frames
from sandbox.guest.call import Package
from sandbox.guest.groups import oom_kills
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
from sandbox.guest.session import SessionProcess, folder_of

_NEVER = float("inf")
_TICK_SECONDS = 1.0
_WIPE_TICK_SECONDS = 0.02
_DYING_SECONDS = 2.0
_OPEN_FILES = 64  # of one session; the zygote may have more


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
    unsent: bytearray = field(default_factory=bytearray)
    """What it did not take at once of the host's last frame; overwritten as soon as it is sent."""
    unsent_kinds: tuple[int, int] = (0, 0)


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
        self._doomed: list[_Live] = []
        """Sessions that have ended and whose processes may not all be gone yet."""
        self._folders: dict[int, str] = {}

    def serve(self, line: Line) -> None:
        """Until the host hangs up (HostGoneError)."""
        self._poll.register(line.incoming, select.POLLIN)
        while True:
            for descriptor, event in self._poll.poll(self._wait_seconds() * 1000):
                if descriptor == line.incoming:
                    self._take_frame(line)
                elif descriptor in self._by_descriptor:
                    live = self._by_descriptor[descriptor]
                    if event & select.POLLOUT:
                        self._send_rest(line, live)
                    if event & ~select.POLLOUT:
                        self._take_message(line, live)
            line.forget_relay()
            now = time.monotonic()
            for live in [live for live in self._live.values() if live.deadline <= now]:
                self._end(line, live, frames.TIMED_OUT)
            self._tidy()

    def _wait_seconds(self) -> float:
        if self._doomed:
            return _WIPE_TICK_SECONDS
        nearest = min((live.deadline for live in self._live.values()), default=_NEVER)
        return min(_TICK_SECONDS, max(0.0, nearest - time.monotonic()))

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
                request = b'{"op":"branch","ident":%d}' % live.unborn
                length = len(request)
                line.request[:length] = request
            live.deadline = time.monotonic() + self._call_seconds
            self._pass_on(line, live, length, PART_OF_REQUEST, REQUEST)

    def _open(self, line: Line, ident: int) -> None:
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError:
            self._refuse(line, ident)
            return
        home_group = os.getpgrp()
        try:
            pid = os.fork()
        except OSError:  # the box has as many processes as it may
            ours.close()
            theirs.close()
            self._refuse(line, ident)
            return
        if pid == 0:
            self._become_session(line, ours, theirs, ident, home_group)
        theirs.close()
        try:
            os.setpgid(pid, pid)
        except OSError:  # it has ended already
            pass
        self._add(_Live(ident, ours, pid))

    @staticmethod
    def _refuse(line: Line, ident: int) -> None:
        line.write(frames.ENDED, ident, frames.OUTCOME.pack(frames.RETURNED, 0, 0, 0, 0, 0, 0))

    def _become_session(
        self, line: Line, ours: socket.socket, theirs: socket.socket, ident: int, home_group: int
    ) -> None:
        try:
            os.setpgid(0, 0)
            line.drop()
            ours.close()
            for other in self._live.values():
                other.sock.close()
            os.dup2(0, 2)
            line.forget_request()
            resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
            folder = folder_of(self._work_folder, ident)
            os.mkdir(folder)
            SessionProcess(self._package, theirs, folder, self._config, home_group).serve()
        finally:
            os._exit(70)

    def _pass_on(self, line: Line, live: _Live, length: int, part: int, last: int) -> None:
        """Hand a frame's payload to a session; what it does not take now waits, so that its siblings need not."""
        live.unsent_kinds = part, last
        sent = self._send(line, live, line.request[:length])
        if 0 <= sent < length:
            live.unsent += line.request[sent:length]
            self._poll.modify(live.sock, select.POLLIN | select.POLLOUT)

    def _send_rest(self, line: Line, live: _Live) -> None:
        """The session reads again."""
        with memoryview(live.unsent) as rest:
            sent = self._send(line, live, rest)
            if sent < 0:
                return
            rest[:sent] = bytes(sent)
        del live.unsent[:sent]
        if not live.unsent:
            self._poll.modify(live.sock, select.POLLIN)

    def _send(self, line: Line, live: _Live, data: memoryview) -> int:
        """How many bytes the session's socket took; -1 when nobody reads it any more and the session is ended."""
        part, last = live.unsent_kinds
        sent = 0
        try:
            while True:
                piece = data[sent : sent + PART_BYTES]
                is_last = sent + PART_BYTES >= len(data)
                live.sock.sendmsg([bytes((last if is_last else part,)), piece], (), socket.MSG_DONTWAIT)
                sent += len(piece)
                if is_last:
                    return sent
        except BlockingIOError:
            return sent
        except OSError:
            self._end(line, live, frames.EXITED)
            return -1

    # -- from the sessions -------------------------------------------------------------------------------------------

    def _take_message(self, line: Line, live: _Live) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(live.sock, PART_BYTES + 1, 1, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        if not data:
            self._end(line, live, frames.OUT_OF_MEMORY if oom_kills.has_grown() else frames.EXITED)
            return
        kind = data[0]
        if kind == BORN and live.unborn:
            if descriptors:
                self._take_newborn(live, data[1:], descriptors.pop())
            else:  # the zygote has as many files open as it may
                ident, live.unborn, live.deadline = live.unborn, 0, _NEVER
                self._refuse(line, ident)
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
        self._folders[live.ident] = folder_of(self._work_folder, live.ident)
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
        live.unsent[:] = bytes(len(live.unsent))
        live.deadline = time.monotonic() + _DYING_SECONDS
        self._doomed.append(live)
        line.write(frames.ENDED, live.ident, frames.OUTCOME.pack(status, 0, 0, 0, 0, 0, 0))

    def _tidy(self) -> None:
        """Reap, and wipe the folders of sessions whose processes are all gone; everything when nobody lives here."""
        _reap()
        if not self._doomed:
            return
        now = time.monotonic()
        self._doomed = [live for live in self._doomed if now < live.deadline and _has_processes(live.group)]
        gone = self._folders.keys() - self._live.keys() - {live.ident for live in self._doomed}
        for ident in gone:
            folder = self._folders.pop(ident)
            if cleaning.wipe(folder):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
        if not self._live and not self._doomed:
            if os.getpid() == 1:
                cleaning.kill_strays(0)
            cleaning.wipe(self._work_folder)


def _has_processes(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _reap() -> None:
    """Collect whoever has died, adopted orphans included."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return

"""The zygote's side of sessions: one socket a session, one clock a request. Frames are relayed without being parsed."""

import os
import resource
import select
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sandbox.guest import cleanup, frames, landlock
from sandbox.guest.baseline import Baseline, BoxChangedError
from sandbox.guest.call import Package
from sandbox.guest.child import take_streams_of_its_own
from sandbox.guest.clock import Clock
from sandbox.guest.line import Line, drop_lines
from sandbox.guest.messages import (
    ASK,
    BRANCHED,
    PART_BYTES,
    PART_OF_ASK,
    PART_OF_REQUEST,
    PART_OF_SAY,
    PART_OF_SOLVED,
    REQUEST,
    SAY,
    SOLVED,
)
from sandbox.guest.oom import oom_kills
from sandbox.guest.session_process import SessionProcess, folder_of

_NEVER = float("inf")
_TICK_SECONDS = 1.0  # at rest: it only looks whether anything is left to tidy
_WIPE_TICK_SECONDS = 0.02  # a killed process is gone within milliseconds, and its folder is wanted
_DYING_SECONDS = 2.0  # a process that cannot die so long is given up, so that it holds up no other folder
_NEXT_REMOVAL_SECONDS = 0.1  # a folder that could not be removed is tried again, not in a busy loop
_OPEN_FILES = 64  # of one session; the zygote may have more
_MOST_DIGITS = 9  # of a process id
_MOST_SAID_BYTES = frames.MAX_REPLY_BYTES + 4096  # more than the host takes of one reply


@dataclass
class _LiveSession:
    """One session as the zygote knows it."""

    ident: int
    sock: socket.socket
    process_group: int
    family: str
    """The folder shared by the session that the host opened and its branches (its *family*). No other session can reach
    it.
    """
    clock: Clock | None = None
    """Runs while a request is under way."""
    owed: int = 0
    """The number of requests that it has received and not answered."""
    asked_bytes: int = 0
    said_bytes: int = 0
    killed_at: float = 0.0
    pending_branch: int = 0
    """The id that the host chose for a branch that this session has been asked to make; otherwise 0."""
    unsent: bytearray = field(default_factory=bytearray)
    """The part of the host's last frame that the session has not read yet; overwritten once it is sent."""
    unsent_kinds: tuple[int, int] = (0, 0)


class SessionServer:
    """Serves OPEN, SEND, BRANCH, CLOSE and SOLVED frames for any number of sessions of one package."""

    def __init__(self, package: Package, config: dict[str, Any]) -> None:
        self._package = package
        self._config = config
        self._work_folder = config["work_folder"]
        self._baseline: Baseline
        self._call_seconds = float(config["call_seconds"])
        self._sessions: dict[int, _LiveSession] = {}
        self._by_descriptor: dict[int, _LiveSession] = {}
        self._poll = select.poll()
        self._terminating: list[_LiveSession] = []
        """Sessions that have ended and whose processes may not all be gone yet."""
        self._families: dict[int, str] = {}
        """Session -> its family's folder, until all its processes are gone."""
        self._folders_left: list[str] = []
        """Folders of ended sessions that could not be removed yet, because a process was slow to die."""
        self._remove_at = 0.0
        self._fork: Callable[[], int] = os.fork

    def serve(self, line: Line, baseline: Baseline, fork: Callable[[], int] = os.fork) -> None:
        """Serve sessions until the host hangs up (HostGoneError), or a session changes the box (BoxChangedError)."""
        self._baseline = baseline
        self._fork = fork
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
            for live in [live for live in self._sessions.values() if _seconds_left(live) <= 0]:
                self._end(line, live, frames.TIMED_OUT)
            self._tidy()

    def _wait_seconds(self) -> float:
        if self._terminating:
            return _WIPE_TICK_SECONDS
        nearest = min(map(_seconds_left, self._sessions.values()), default=_TICK_SECONDS)
        tick = _NEXT_REMOVAL_SECONDS if self._folders_left else _TICK_SECONDS
        return min(tick, max(0.0, nearest))

    # -- from the host -----------------------------------------------------------------------------------------------

    def _take_frame(self, line: Line) -> None:
        kind, ident, length = line.read_frame()
        if kind == frames.OPEN:
            self._open(line, ident)
            return
        live = self._sessions.get(ident)
        if live is None:
            return  # it has ended meanwhile; the host is told by ENDED
        if kind == frames.CLOSE:
            self._end(line, live, frames.FINISHED)
        elif kind == frames.SOLVED:
            if live.clock is not None:
                live.clock.resume()
            self._pass_on(line, live, length, PART_OF_SOLVED, SOLVED)
        elif kind in (frames.SEND, frames.BRANCH):
            if kind == frames.BRANCH:
                (live.pending_branch,) = frames.SESSION_ID.unpack(line.request[:8])
                request = b'{"op":"branch","ident":%d}' % live.pending_branch
                length = len(request)
                line.request[:length] = request
            live.clock = Clock(self._call_seconds)
            live.owed += 1
            self._pass_on(line, live, length, PART_OF_REQUEST, REQUEST)

    def _open(self, line: Line, ident: int) -> None:
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError:  # no descriptors are left: other sessions have them
            self._refuse(line, ident)
            return
        home_process_group = os.getpgrp()
        family = folder_of(self._work_folder, ident)
        try:
            pid = self._fork()
        except OSError:  # the box has reached its limit of processes
            ours.close()
            theirs.close()
            self._refuse(line, ident)
            return
        if pid == 0:
            self._become_session(line, ours, theirs, folder_of(family, ident), home_process_group)
        theirs.close()
        try:
            os.setpgid(pid, pid)
        except OSError:  # it has ended already
            pass
        self._add(_LiveSession(ident, ours, pid, family))

    @staticmethod
    def _refuse(line: Line, ident: int) -> None:
        line.write(frames.ENDED, ident, frames.OUTCOME.pack(frames.RETURNED, 0, 0, 0, 0, 0, 0))

    def _become_session(
        self, line: Line, ours: socket.socket, theirs: socket.socket, folder: str, home_process_group: int
    ) -> None:
        try:
            os.setpgid(0, 0)
            ours.close()
            for other in self._sessions.values():
                other.sock.close()
                other.unsent[:] = bytes(len(other.unsent))
            drop_lines(but=theirs.fileno())
            take_streams_of_its_own()
            line.forget_request()
            resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
            os.makedirs(folder)
            if self._config["landlock"]:
                landlock.confine(self._work_folder, os.path.dirname(folder))
            SessionProcess(self._package, theirs, folder, self._config, home_process_group).serve()
        finally:
            os._exit(70)

    def _pass_on(self, line: Line, live: _LiveSession, length: int, part: int, last: int) -> None:
        """Send a frame's payload to a session. The part that it does not read now is kept, so that other sessions need
        not wait.
        """
        live.unsent_kinds = part, last
        sent = self._send(line, live, line.request[:length])
        if 0 <= sent < length:
            live.unsent += line.request[sent:length]
            self._poll.modify(live.sock, select.POLLIN | select.POLLOUT)

    def _send_rest(self, line: Line, live: _LiveSession) -> None:
        """Send the kept part, now that the session reads again."""
        with memoryview(live.unsent) as rest:
            sent = self._send(line, live, rest)
            if sent < 0:
                return
            rest[:sent] = bytes(sent)
        del live.unsent[:sent]
        if not live.unsent:
            self._poll.modify(live.sock, select.POLLIN)

    def _send(self, line: Line, live: _LiveSession, data: memoryview) -> int:
        """Returns how many bytes the socket took, or -1 if its other end is closed; then the session is ended."""
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
        except BlockingIOError:  # its buffer is full: the rest goes when the process has read
            return sent
        except OSError:  # the process has ended, or closed its end
            self._end(line, live, frames.EXITED)
            return -1

    # -- from the sessions -------------------------------------------------------------------------------------------

    def _take_message(self, line: Line, live: _LiveSession) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(live.sock, PART_BYTES + 1, 1, socket.MSG_DONTWAIT)
        except BlockingIOError:  # poll woke for something that is gone
            return
        except OSError:  # a reset connection counts as an ended one
            data, descriptors = b"", []
        if not data:
            self._end(line, live, frames.OUT_OF_MEMORY if oom_kills.has_grown() else frames.EXITED)
            return
        kind = data[0]
        if kind == BRANCHED and live.pending_branch:
            if descriptors:
                self._take_branch(line, live, data[1:], descriptors.pop())
            else:  # the zygote has reached its limit of open files
                ident = live.pending_branch
                self._answered(live)
                self._refuse(line, ident)
        elif kind in (SAY, PART_OF_SAY):
            self._relay_reply(line, live, data)
        elif kind in (ASK, PART_OF_ASK):
            self._relay_request(line, live, data)
        for descriptor in descriptors:
            os.close(descriptor)

    def _relay_reply(self, line: Line, live: _LiveSession, data: bytes) -> None:
        if not live.owed:  # nothing was asked: this must not be taken for the answer to the next request
            self._end(line, live, frames.BROKEN)
            return
        live.said_bytes += len(data)
        if live.said_bytes > _MOST_SAID_BYTES:
            self._end(line, live, frames.FLOODED)
            return
        is_last = data[0] == SAY
        # an answer instead of a branch is an error: the caller waits for the branch, so refuse that
        if is_last and live.pending_branch:
            ident, live.said_bytes = live.pending_branch, 0
            self._answered(live)
            self._refuse(line, ident)
            return
        if is_last:
            self._check_box()
            live.said_bytes = 0
            self._answered(live)
        line.write(frames.SAID, live.ident, bytes((is_last,)) + data[1:])

    def _relay_request(self, line: Line, live: _LiveSession, data: bytes) -> None:
        """Part of a request for a solution; the session's clock is paused until its answer comes."""
        live.asked_bytes += len(data)
        if live.asked_bytes > frames.MAX_ASK_BYTES:
            self._end(line, live, frames.FLOODED)
            return
        is_last = data[0] == ASK
        if is_last:
            live.asked_bytes = 0
            if live.clock is not None:
                live.clock.pause()
        line.write(frames.ASK, live.ident, bytes((is_last,)) + data[1:])

    @staticmethod
    def _answered(live: _LiveSession) -> None:
        """A session has answered a request: with a message, or with the branch that it was asked to make."""
        live.clock, live.pending_branch, live.owed = None, 0, live.owed - 1

    def _check_box(self) -> None:
        """Raise BoxChangedError if the box differs from its baseline: one session could then change the results of
        another.
        """
        if change := self._baseline.find_change():
            raise BoxChangedError(change)

    def _take_branch(self, line: Line, parent: _LiveSession, pid: bytes, descriptor: int) -> None:
        """Add the branch that ``parent`` was asked to make, under the id that the host chose.

        A forged one is refused at once: a host that waits for it in vain would end the box, and its siblings with it.
        """
        ident = parent.pending_branch
        self._answered(parent)
        process_group = int(pid) if pid.isdigit() and len(pid) <= _MOST_DIGITS else 0
        if process_group <= 1 or process_group in {
            live.process_group for live in (*self._sessions.values(), *self._terminating)
        }:
            os.close(descriptor)
            self._refuse(line, ident)
            return
        try:
            sock = socket.socket(fileno=descriptor)
        except OSError:  # the descriptor is of something else, such as a file
            os.close(descriptor)
            self._refuse(line, ident)
            return
        self._add(_LiveSession(ident, sock, process_group, parent.family, Clock(self._call_seconds), owed=1))

    # -- beginnings and ends -----------------------------------------------------------------------------------------

    def _add(self, live: _LiveSession) -> None:
        self._sessions[live.ident] = live
        self._families[live.ident] = live.family
        self._by_descriptor[live.sock.fileno()] = live
        self._poll.register(live.sock, select.POLLIN)

    def _end(self, line: Line, live: _LiveSession, status: int) -> None:
        """Kill the session's process group, remove the session, and tell the host."""
        if self._sessions.pop(live.ident, None) is None:
            return
        self._by_descriptor.pop(live.sock.fileno(), None)
        self._poll.unregister(live.sock)
        live.sock.close()
        try:
            os.killpg(live.process_group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # none is left, or not ours: ends with the box
            pass
        live.unsent[:] = bytes(len(live.unsent))
        live.killed_at = time.monotonic()
        self._terminating.append(live)
        line.write(frames.ENDED, live.ident, frames.OUTCOME.pack(status, 0, 0, 0, 0, 0, 0))

    def _tidy(self) -> None:
        """Reap, and remove the folders of sessions whose processes are all gone. Without any session, wipe the whole
        work folder.
        """
        _reap()
        if not self._terminating and not self._folders_left:
            return
        now = time.monotonic()
        self._terminating = [
            live
            for live in self._terminating
            if now < live.killed_at + _DYING_SECONDS and _has_processes(live.process_group)
        ]
        gone = self._families.keys() - self._sessions.keys() - {live.ident for live in self._terminating}
        for ident in gone:
            family = self._families.pop(ident)
            self._folders_left.append(family if family not in self._families.values() else folder_of(family, ident))
            self._remove_at = now
        if not self._sessions and not self._terminating:
            if os.getpid() == 1:
                cleanup.kill_leftovers(0)
            cleanup.wipe(self._work_folder)
            self._folders_left.clear()
            self._check_box()
        elif self._folders_left and now >= self._remove_at:
            self._folders_left = [folder for folder in self._folders_left if not cleanup.remove(folder)]
            self._remove_at = now + _NEXT_REMOVAL_SECONDS


def _seconds_left(live: _LiveSession) -> float:
    return live.clock.remaining() if live.clock is not None else _NEVER


def _has_processes(process_group: int) -> bool:
    try:
        os.killpg(process_group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # some live, of another user
        pass
    return True


def _reap() -> None:
    """Reap every child that has ended, including adopted orphans."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:  # there is no child at all
            return
        if pid == 0:
            return

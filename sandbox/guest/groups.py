"""One group of calls in one child: fork, relay, keep the clock, reap, wipe."""

import os
import select
import signal
import socket
import time
from _socket import socketpair as _socketpair  # without the Python object around each end
from collections.abc import Callable

from sandbox.guest import cleaning, frames, limits, serving, solution
from sandbox.guest.exits import ExitWatch
from sandbox.guest.line import HostGoneError, Line, drop_lines
from sandbox.guest.messages import (
    ASK,
    END,
    GROUP,
    PART_BYTES,
    PART_OF_ASK,
    PART_OF_GROUP,
    PART_OF_SOLVED,
    REPLIES,
    SOLVED,
)

_GROUP_REPLY_BYTES = 16 << 20
_WORKER_SERVES = 4096  # calls, after which a worker is replaced

_RETURNED = frames.OUTCOME.pack(frames.RETURNED, 0, 0, 0, 0, 0, 0)
_RETURNED_STALE = frames.OUTCOME.pack(frames.RETURNED, 0, 0, 0, 0, 0, 1)


class Groups:
    """Runs RUN frames one after the other. ``answer`` is what a child does with each call's bytes."""

    def __init__(self, line: Line, work_folder: str, answer: serving.Answer, fork: Callable[[], int] = os.fork) -> None:
        self._line = line
        self._work_folder = work_folder
        self._answer = answer
        self._fork = fork
        self._worker: _Child | None = None
        self._worker_served = 0
        self._is_stale = False
        """Something could not be wiped: whatever comes goes back, until the host replaces this box."""

    def run(self, ident: int, length: int) -> None:
        """Run the group whose payload lies in the line's request buffer, and send its DONE."""
        if self._is_stale:
            self._line.write(frames.DONE, ident, _RETURNED_STALE)
            return
        level, timeout_ms, spans = frames.unpack_run(self._line.request[:length])
        clock = _Clock(timeout_ms / 1000, len(spans))
        if level == frames.WORKER:
            self._run_in_worker(ident, length, clock, len(spans))
        else:
            self._retire_worker()
            request, answer = self._line.request, self._answer
            child = _Child(
                self._line, self._fork, lambda sock: serving.serve_group(sock.fileno(), request, spans, answer)
            )
            limits.limit_cpu(child.pid, clock.total_seconds)
            status, detail = self._attend(child, ident, clock)
            self._finish(child, ident, clock, status, detail)
        self._line.forget_relay()

    # -- in the child ------------------------------------------------------------------------------------------------

    def _serve_as_worker(self, sock: socket.SocketType) -> None:
        self._line.forget_request()
        serving.serve_worker(sock, self._answer)

    # -- in the zygote -----------------------------------------------------------------------------------------------

    def _run_in_worker(self, ident: int, length: int, clock: "_Clock", count: int) -> None:
        if self._worker is None or self._worker_served + count > _WORKER_SERVES:
            self._retire_worker()
            self._worker = _Child(self._line, self._fork, self._serve_as_worker, keep_request=True)
        worker = self._worker
        self._worker_served += count
        fed = worker.send_parts(self._line.request[:length], PART_OF_GROUP, GROUP, clock.remaining())
        status, detail = self._attend(worker, ident, clock) if fed else (frames.TIMED_OUT, 0)
        if status == frames.FINISHED:
            self._end(ident, worker, clock.outcome(status, detail, None, 0, stale=False))
            return
        self._worker, self._worker_served = None, 0
        self._finish(worker, ident, clock, status, detail)

    def _retire_worker(self) -> None:
        if self._worker is not None:
            worker, self._worker, self._worker_served = self._worker, None, 0
            worker.kill()
            worker.reap()
            cleaning.kill_strays(worker.pid)
            self._is_stale = not cleaning.wipe(self._work_folder)

    def _attend(self, child: "_Child", ident: int, clock: "_Clock") -> tuple[int, int]:
        """Relay until the child has ended, or a worker its group, or its time is up. ``(status, detail)``.

        The last message stays in the relay buffer, ``child.held`` bytes of it: it leaves together with the outcome.
        """
        line = self._line
        child.held = relayed = 0
        poll = select.poll()
        ended = child.exit.descriptor
        if ended is not None:
            poll.register(ended, select.POLLIN)  # before the socket: whoever is seen to have ended has been heard out
        poll.register(child.socket_number, select.POLLIN)
        poll.register(line.incoming, 0)  # hang-up only: more RUN frames may be waiting there
        glance = child.exit.glance_seconds
        while True:
            events = poll.poll(min(max(0.0, clock.remaining()), glance) * 1000)
            if not events and (ending := self._heard_nothing(child, clock, poll)) is not None:
                return ending
            ready = dict(events)
            if line.incoming in ready:
                raise HostGoneError("hang-up")
            if child.socket_number in ready:
                count = child.receive(line)
                relayed += count
                if count == 0 or line.relay[0] == END:
                    child.held = count
                    if count and child is self._worker:
                        return frames.FINISHED, 0
                    poll.unregister(child.socket_number)  # it still has to exit in time, without another word
                    glance = child.exit.soon_seconds
                elif relayed > _GROUP_REPLY_BYTES or not self._relay(child, ident, count, clock):
                    return self._cut_off(child, frames.FLOODED if relayed > _GROUP_REPLY_BYTES else frames.BROKEN)
            elif ended in ready:
                return child.reap()

    def _heard_nothing(self, child: "_Child", clock: "_Clock", poll: select.poll) -> tuple[int, int] | None:
        """Its time is up, or it has ended on a kernel that does not say so; None when neither is so yet."""
        if child.exit.descriptor is None and child.exit.has_ended():
            return None if poll.poll(0) else child.reap()  # what it said since the last look comes first
        return self._cut_off(child, frames.TIMED_OUT) if clock.remaining() <= 0 else None

    def _relay(self, child: "_Child", ident: int, count: int, clock: "_Clock") -> bool:
        """Pass on one message of ``count`` bytes; False when the child may not say that."""
        clock.progressed()
        kind = self._line.relay[0]
        if kind == REPLIES:
            self._line.write(frames.CHUNK, ident, self._line.relay[1:count])
            return True
        if kind not in (PART_OF_ASK, ASK):
            return False
        self._line.relay[0] = 1 if kind == ASK else 0
        self._line.write(frames.ASK, ident, self._line.relay[:count])
        return kind == PART_OF_ASK or self._await_solution(child, ident, clock)

    @staticmethod
    def _cut_off(child: "_Child", status: int) -> tuple[int, int]:
        child.kill()
        return status, 0

    def _await_solution(self, child: "_Child", ident: int, clock: "_Clock") -> bool:
        """Wait for the host's answer with the clock stopped. RUN frames that come first go back to the host."""
        clock.stop()
        while True:
            kind, asked, length = self._line.read_frame()
            if kind == frames.SOLVED and asked == ident:
                clock.go_on()
                return child.send_parts(self._line.request[:length], PART_OF_SOLVED, SOLVED, clock.remaining())
            if kind == frames.RUN:
                self._line.write(frames.DONE, asked, _RETURNED)

    def _finish(self, child: "_Child", ident: int, clock: "_Clock", status: int, detail: int) -> None:
        """Reap, kill what is left, wipe, tell the host. Replies count when nothing was said after the last of them."""
        if not child.is_reaped:
            child.reap()
        strays = cleaning.kill_strays(child.pid)
        if status == frames.FINISHED and (not child.held or child.has_more()):
            status = frames.BROKEN if child.held else frames.EXITED
        child.close()
        if status == frames.SIGNALLED and detail == signal.SIGKILL and oom_kills.has_grown():
            status = frames.OUT_OF_MEMORY
        self._is_stale = not cleaning.wipe(self._work_folder)
        self._end(ident, child, clock.outcome(status, detail, child, strays, stale=self._is_stale))

    def _end(self, ident: int, child: "_Child", outcome: bytes) -> None:
        """The group's last replies, if any, and its outcome in one go."""
        if child.held > 1:
            self._line.write_two(frames.CHUNK, self._line.relay[1 : child.held], frames.DONE, outcome, ident)
        else:
            self._line.write(frames.DONE, ident, outcome)


class _Child:
    """A forked child and the zygote's handles on it."""

    def __init__(
        self,
        line: Line,
        fork: Callable[[], int],
        main: Callable[[socket.SocketType], None],
        *,
        keep_request: bool = False,
    ) -> None:
        self.sock, theirs = _socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket_number = self.sock.fileno()
        solution.connect(lambda data: serving.ask_host(theirs, data))  # here, where it costs the child nothing
        self.pid = fork()
        if self.pid == 0:
            _become_child(self.socket_number, theirs, main)
        theirs.close()
        if not _IS_INIT:
            _lead_its_own_group(self.pid)
        if not keep_request:
            line.forget_request()
        self.exit = ExitWatch(self.pid)
        self.held = 0
        """Bytes of its last message, which lies in the line's relay buffer."""
        self.is_reaped = False
        self.cpu_us = 0
        self.max_rss_kb = 0
        self._status = (frames.BROKEN, 0)

    def receive(self, line: Line) -> int:
        """One message into the relay buffer; 0 when there is none or no one is left to send."""
        try:
            count = self.sock.recv_into(line.relay, 0, socket.MSG_DONTWAIT)
        except (BlockingIOError, ConnectionResetError):
            return 0
        line.relayed(count)
        return count

    def has_more(self) -> bool:
        """Did it go on talking after its last message? Everybody who could send more is dead."""
        try:
            return bool(self.sock.recv(1, socket.MSG_DONTWAIT))
        except (BlockingIOError, ConnectionResetError):
            return False

    def send_parts(self, data: memoryview, part: int, last: int, seconds: float) -> bool:
        """Send ``data`` in messages; False when the child does not take it within ``seconds``."""
        self.sock.settimeout(max(0.001, seconds))
        try:
            for start in range(0, max(1, len(data)), PART_BYTES):
                piece = data[start : start + PART_BYTES]
                is_last = start + PART_BYTES >= len(data)
                self.sock.sendmsg([bytes((last if is_last else part,)), piece])
        except OSError:
            self.kill()
            return False
        finally:
            self.sock.settimeout(None)
        return True

    def kill(self) -> None:
        """SIGKILL; the pid cannot have been reused, since it is not reaped yet."""
        if not self.is_reaped:
            os.kill(self.pid, signal.SIGKILL)

    def reap(self) -> tuple[int, int]:
        """Wait for its end. ``(status, detail)``: how it ended, by which signal or exit status."""
        if not self.is_reaped:
            _, status, usage = os.wait4(self.pid, 0)
            self.is_reaped = True
            self.cpu_us = int((usage.ru_utime + usage.ru_stime) * 1e6)
            self.max_rss_kb = usage.ru_maxrss
            self._status = _how_it_ended(status)
        return self._status

    def close(self) -> None:
        self.exit.close()
        self.sock.close()


def _become_child(ours: int, line: socket.SocketType, main: Callable[[socket.SocketType], None]) -> None:
    """After fork, on the child's side: drop every line to the host, then serve. Never returns."""
    status = 70
    try:
        drop_lines(but=line.fileno())
        os.close(ours)
        os.dup2(0, 2)  # 0 is /dev/null in every process but the host
        main(line)
        status = 0
    finally:
        os._exit(status)


_IS_INIT = os.getpid() == 1


def _lead_its_own_group(pid: int) -> None:
    """Where the zygote is not PID 1 of a box, a call is killed by its process group."""
    try:
        os.setpgid(pid, pid)
    except OSError:  # it has ended, or become another program, already
        pass


def _how_it_ended(status: int) -> tuple[int, int]:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return frames.TIMED_OUT, number
        return (frames.FLOODED if number == signal.SIGXFSZ else frames.SIGNALLED), number
    code = os.WEXITSTATUS(status)
    return (frames.FINISHED if code == 0 else frames.EXITED), code


class _Clock:
    """The zygote's wall clock for one group: a limit for each call, another for all, both stopped for solutions."""

    def __init__(self, call_seconds: float, count: int) -> None:
        self._call_seconds = call_seconds
        self._started = time.monotonic()
        self._stopped = 0.0
        self.total_seconds = call_seconds * count
        self._call_ends = self._started + call_seconds
        self._all_end = self._started + self.total_seconds

    def remaining(self) -> float:
        return min(self._call_ends, self._all_end) - time.monotonic()

    def progressed(self) -> None:
        """A message came: the next call's time begins."""
        self._call_ends = time.monotonic() + self._call_seconds

    def stop(self) -> None:
        self._stopped = time.monotonic()

    def go_on(self) -> None:
        pause = time.monotonic() - self._stopped
        self._call_ends += pause
        self._all_end += pause

    def outcome(self, status: int, detail: int, child: _Child | None, strays: int, *, stale: bool) -> bytes:
        wall_us = int((time.monotonic() - self._started) * 1e6)
        cpu_us, rss = (child.cpu_us, child.max_rss_kb) if child else (0, 0)
        return frames.OUTCOME.pack(status, detail, wall_us, cpu_us, rss, min(strays, 65535), stale)


class _OomKills:
    """The box's count of processes that the kernel killed for memory (cgroup v1 and v2)."""

    _FILES = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")

    def __init__(self) -> None:
        self._last = 0

    def has_grown(self) -> bool:
        now = self._read()
        grown, self._last = now > self._last, now
        return grown

    def _read(self) -> int:
        for path in self._FILES:
            try:
                with open(path) as file:
                    for line in file:
                        name, _, value = line.partition(" ")
                        if name == "oom_kill":
                            return int(value)
            except (OSError, ValueError):
                continue
        return 0


oom_kills = _OomKills()

"""Runs one call group in one child: fork, relay messages, enforce time limits, reap, clean up, compare the box."""

import os
import select
import signal
import socket
import traceback
from collections.abc import Callable

from sandbox.guest import call_loop, cleanup, frames, limits
from sandbox.guest.baseline import Baseline
from sandbox.guest.child import NOT_PREPARED, OUR_FAILURE, Child
from sandbox.guest.clock import Clock
from sandbox.guest.line import HostGoneError, Line
from sandbox.guest.messages import (
    ASK,
    END,
    GROUP,
    PART_OF_ASK,
    PART_OF_GROUP,
    PART_OF_SOLVED,
    REPLIES,
    SOLVED,
)
from sandbox.guest.oom import oom_kills

_GROUP_REPLY_BYTES = 16 << 20  # chosen; the host takes 64 MB, so the box says it first
_WORKER_SERVES = 256
"""A worker process is replaced before it would serve more calls. In an audit of a few hundred calls a box some process
serves 129 or more: code that counts calls finds few numbers in use that it has not reached there.
"""

_RETURNED = frames.OUTCOME.pack(frames.RETURNED, 0, 0, 0, 0, 0, 0)
_RETURNED_STALE = frames.OUTCOME.pack(frames.RETURNED, 0, 0, 0, 0, 0, 1)


class CallGroups:
    """Runs RUN frames one after the other.

    ``answer`` handles the bytes of one call in a child. ``baseline`` is the state of the box before its first call.

    ``children_may_return`` says what happens when our own code fails, in a child (exit status :data:`NOT_PREPARED` or
    :data:`OUR_FAILURE`) or in this class. If it is set, the call group goes back to the host and runs in another box.
    Otherwise a failure of this class ends the box, which the host counts as lost. Set it only if no stranger's code
    runs in the child itself: such code could choose its exit status, and thereby a second try.
    """

    def __init__(
        self,
        line: Line,
        work_folder: str,
        answer: call_loop.Answer,
        baseline: Baseline,
        fork: Callable[[], int] = os.fork,
        *,
        children_may_return: bool = False,
    ) -> None:
        self._line = line
        self._work_folder = work_folder
        self._answer = answer
        self._baseline = baseline
        self._fork = fork
        self._children_may_return = children_may_return
        self._worker: Child | None = None
        self._worker_served = 0
        self._asked_bytes = 0
        self._is_stale = False
        """Whether the box was changed or could not be wiped. If so, call groups go back and the host replaces it."""

    def run(self, ident: int, length: int) -> None:
        """Run the call group whose payload lies in the line's request buffer, and send its DONE."""
        try:
            self._run(ident, length)
        except (HostGoneError, BrokenPipeError):
            raise
        except Exception:
            if not self._children_may_return:
                raise
            traceback.print_exc()
            self._is_stale = True
            self._line.write(frames.DONE, ident, _RETURNED_STALE)

    def _run(self, ident: int, length: int) -> None:
        level, timeout_ms, spans = frames.unpack_run(self._line.request[:length])
        if level != frames.WORKER:
            self._retire_worker()
        if self._is_stale:
            self._line.write(frames.DONE, ident, _RETURNED_STALE)
            return
        clock = Clock(timeout_ms / 1000, len(spans))
        if level == frames.WORKER:
            self._run_in_worker(ident, length, clock, len(spans))
        else:
            self._run_in_fork(ident, spans, clock, call_loop.flush_nanoseconds(timeout_ms / 1000))
        self._line.forget_relay()

    # -- in the child ------------------------------------------------------------------------------------------------

    def _serve_as_worker(self, sock: socket.SocketType) -> None:
        self._line.forget_request()
        call_loop.serve_worker(sock, self._answer)

    # -- in the zygote -----------------------------------------------------------------------------------------------

    def _run_in_fork(self, ident: int, spans: list[tuple[int, int]], clock: Clock, flush_nanoseconds: int) -> None:
        request, answer, seconds = self._line.request, self._answer, clock.total_seconds

        def serve(sock: socket.SocketType) -> None:
            limits.limit_cpu(seconds)
            call_loop.serve_group(sock.fileno(), request, spans, answer, flush_nanoseconds)

        child = Child(self._line, self._fork, serve)
        status, detail = self._attend(child, ident, clock)
        self._finish(child, ident, clock, status, detail, is_shared=len(spans) > 1)

    def _run_in_worker(self, ident: int, length: int, clock: Clock, count: int) -> None:
        if self._worker is not None and self._worker_served + count > _WORKER_SERVES:
            self._retire_worker()
        if self._is_stale:
            self._line.write(frames.DONE, ident, _RETURNED_STALE)
            return
        if self._worker is None:
            self._worker = Child(self._line, self._fork, self._serve_as_worker, keep_request=True)
        worker = self._worker
        self._worker_served += count
        fed = worker.send_parts(self._line.request[:length], PART_OF_GROUP, GROUP, clock)
        status, detail = self._attend(worker, ident, clock) if fed else (frames.TIMED_OUT, 0)
        if status == frames.FINISHED and not self._baseline.find_change():
            self._end(ident, worker, _outcome(clock, status, detail, None, 0, is_stale=False))
            return
        self._worker, self._worker_served = None, 0
        if status == frames.FINISHED:
            worker.kill()
        self._finish(worker, ident, clock, status, detail, is_shared=True)

    def _retire_worker(self) -> None:
        if self._worker is not None:
            worker, self._worker, self._worker_served = self._worker, None, 0
            worker.kill()
            worker.reap()
            worker.close()
            cleanup.kill_leftovers(worker.pid)
            self._clean_up()

    def _clean_up(self) -> bool:
        """Wipe the work folder and compare the box with its baseline. Returns whether a call changed the box.

        After a change or a failed wipe the box stays stale.
        """
        is_wiped = cleanup.wipe(self._work_folder)
        is_changed = bool(self._baseline.find_change())
        self._is_stale = self._is_stale or is_changed or not is_wiped
        return is_changed

    def _attend(self, child: Child, ident: int, clock: Clock) -> tuple[int, int]:
        """Relay messages until the child (or a worker's call group) has ended or its time is up. Returns ``(status,
        detail)``.

        The last message, ``child.held`` bytes, stays in the relay buffer. It is sent together with the outcome.
        """
        line = self._line
        child.held = relayed = self._asked_bytes = 0
        poll = select.poll()
        ended = child.exit.descriptor
        if ended is not None:
            # messages first, so that all of them are read before the exit is handled
            poll.register(ended, select.POLLIN)
        poll.register(child.socket_number, select.POLLIN)
        poll.register(line.incoming, 0)  # only a hang-up counts: waiting RUN frames are read later
        glance = child.exit.glance_seconds
        while True:
            events = poll.poll(min(max(0.0, clock.remaining()), glance) * 1000)
            if not events and (end := self._status_when_silent(child, clock, poll)) is not None:
                return end
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
                    poll.unregister(child.socket_number)  # it must still exit in time, and send nothing more
                    glance = child.exit.soon_seconds
                    continue
                refused = frames.FLOODED if relayed > _GROUP_REPLY_BYTES else self._relay(child, ident, count, clock)
                if refused is not None:
                    return self._cut_off(child, refused)
            elif ended in ready:
                return child.reap()

    def _status_when_silent(self, child: Child, clock: Clock, poll: select.poll) -> tuple[int, int] | None:
        """How a silent child ended: its time is up, or it has exited (asked here where there is no pidfd).

        None if it still runs.
        """
        if child.exit.descriptor is None and child.exit.has_ended():
            return None if poll.poll(0) else child.reap()  # First read messages that came since the last look.
        return self._cut_off(child, frames.TIMED_OUT) if clock.remaining() <= 0 else None

    def _relay(self, child: Child, ident: int, count: int, clock: Clock) -> int | None:
        """Pass on one message of ``count`` bytes. Returns a status if the child must be ended with it."""
        kind = self._line.relay[0]
        if kind == REPLIES:
            clock.call_answered()
            self._line.write(frames.CHUNK, ident, self._line.relay[1:count])
            return None
        if kind not in (PART_OF_ASK, ASK):
            return frames.BROKEN
        self._asked_bytes += count
        if self._asked_bytes > frames.MAX_ASK_BYTES:
            return frames.FLOODED
        is_last = kind == ASK
        if is_last:
            clock.pause()
        self._line.relay[0] = is_last
        self._line.write(frames.ASK, ident, self._line.relay[:count])
        if not is_last:
            return None
        self._asked_bytes = 0
        return self._await_solution(child, ident, clock)

    @staticmethod
    def _cut_off(child: Child, status: int) -> tuple[int, int]:
        child.kill()
        return status, 0

    def _await_solution(self, child: Child, ident: int, clock: Clock) -> int | None:
        """Wait for the host's answer with the clock paused. RUN frames that arrive meanwhile are returned to the
        host.
        """
        poll = select.poll()
        poll.register(self._line.incoming, select.POLLIN)
        while (seconds := clock.remaining()) > 0 and poll.poll(seconds * 1000):
            kind, asked, length = self._line.read_frame()
            if kind == frames.SOLVED and asked == ident:
                clock.resume()
                taken = child.send_parts(self._line.request[:length], PART_OF_SOLVED, SOLVED, clock)
                return None if taken else frames.BROKEN
            if kind == frames.RUN:
                self._line.write(frames.DONE, asked, _RETURNED)
        return frames.TIMED_OUT

    def _finish(self, child: Child, ident: int, clock: Clock, status: int, detail: int, *, is_shared: bool) -> None:
        """Reap the child, kill what is left, clean up, and tell the host. Replies count only if no message follows the
        last one.

        If a call changed the box and the call group shares one process (``is_shared``), no reply of the call group
        counts: the host runs each of its calls again, alone.
        """
        if not child.is_reaped:
            child.reap()
        leftovers = cleanup.kill_leftovers(child.pid)
        if status == frames.FINISHED and (not child.held or child.has_more()):
            status = frames.BROKEN if child.held else frames.EXITED
        child.close()
        if status == frames.SIGNALLED and detail == signal.SIGKILL and oom_kills.has_grown():
            status = frames.OUT_OF_MEMORY
        if self._clean_up() and is_shared and status == frames.FINISHED:
            status = frames.BROKEN
        if self._children_may_return and status == frames.EXITED and detail in (NOT_PREPARED, OUR_FAILURE):
            status, self._is_stale = frames.RETURNED, True
        self._end(ident, child, _outcome(clock, status, detail, child, leftovers, is_stale=self._is_stale))

    def _end(self, ident: int, child: Child, outcome: bytes) -> None:
        """Send the call group's last replies, if any, together with its outcome."""
        if child.held > 1:
            self._line.write_two(frames.CHUNK, self._line.relay[1 : child.held], frames.DONE, outcome, ident)
        else:
            self._line.write(frames.DONE, ident, outcome)


def _outcome(clock: Clock, status: int, detail: int, child: Child | None, leftovers: int, *, is_stale: bool) -> bytes:
    cpu_us, rss = (min(child.cpu_us, frames.MOST_MICROSECONDS), child.max_rss_kb) if child else (0, 0)
    wall_us = min(int(clock.passed * 1e6), frames.MOST_MICROSECONDS)
    return frames.OUTCOME.pack(status, detail, wall_us, cpu_us, rss, min(leftovers, 65535), is_stale)

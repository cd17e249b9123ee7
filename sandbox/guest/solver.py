"""The solution box's side of run_solution: a model's code runs in a grandchild; a supervisor collects its results.

The supervisor is the zygote's child for this call, and only it has the connection to the zygote. The grandchild gets
four unnamed files of ours: its standard streams, and one for its JSON results.

A failure before the model's code starts is the box's fault: NotPreparedError ends the supervisor, and the host runs the
request in another box. A failure of the model's code is part of the result. An exception of our own code never counts
as a wrong solution. After the program has started it is a fault of kind ``host``. Before that it ends the supervisor,
and the zygote returns the request to the host.

Both processes are forks, and each page that they touch must be copied (3 us). So what all programs need is made once,
before any fork, and files are used by system calls instead of Python's file objects.
"""

import _sitebuiltins
import atexit
import builtins
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

from sandbox.guest import limits
from sandbox.guest.child import NotPreparedError
from sandbox.guest.exits import ExitWatch
from sandbox.guest.frames import MAX_REPLY_BYTES
from sandbox.guest.plain_json import NotPlainError, parse
from sandbox.guest.solution_files import BadFilesError, collect_files, write_files
from sandbox.guest.solution_request import SolutionRequest, check_request
from sandbox.guest.solution_streams import (
    RESULT_DESCRIPTOR,
    StandardStreams,
    Streams,
    first_bytes,
    moved_up,
    standard_streams,
)
from sandbox.guest.starvation import CpuClock, box_cpu_seconds

_OUTPUT_BYTES = 64 << 10  # chosen, not measured
_RESULT_BYTES = 512 << 10  # chosen, not measured
STARVED_FACTOR = 10
"""A program that other programs keep from the processor may take this many times its limit."""
LEAST_STARVED_SECONDS = 10.0
"""And at least this long: ten times a short limit is a few turns on a busy machine, too few to tell who is at fault."""
_STARVED_FACTOR_UNSURE = 3
"""The same if the program might hide some of its own processor time."""
_BEGUN = b"b"
_NO_RETURN = {"error": "the call did not return"}
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode


class Solver:
    """Answers one request a call; see :func:`sandbox.guest.run_solution` for what its fields mean."""

    def __init__(self, work_folder: str, fork: Callable[[], int] = os.fork) -> None:
        """``fork`` makes the grandchildren."""
        self._work_folder = work_folder
        self._fork = fork
        self._standard = standard_streams()
        for name in ("exit", "quit"):  # Python gives them to scripts by ``site``, which a box leaves out
            setattr(builtins, name, _sitebuiltins.Quitter(name, ""))
        box_cpu_seconds()  # caches the path of the counter for all processes forked from this one

    def answer(self, request: bytes | memoryview) -> bytes:
        """The request's JSON in, the result's JSON out. A solution that fails is a result too.

        Raises NotPreparedError if this box could not start it.
        """
        try:
            wanted = check_request(bytes(request))
        except ValueError as error:
            return _failed(f"run_solution could not be understood: {error}")
        except MemoryError as error:
            raise NotPreparedError("the request does not fit into memory") from error
        try:
            started = self._start(wanted)
        except BadFilesError as error:
            return _failed(f"the solution could not be run: {error}")
        except (OSError, MemoryError) as error:
            raise NotPreparedError(str(error)) from error
        return self._finish(started)

    @staticmethod
    def _finish(started: "_Started") -> bytes:
        try:
            return _within_limit(started.finish())
        except MemoryError:
            return _failed("the solution's output did not fit into memory")
        except NotPreparedError:
            raise
        except _StarvedError as error:
            return _not_judged("host", str(error))
        except _TooLargeError as error:
            return _not_judged("output", str(error))
        except Exception as error:
            if started.has_changed_supervisor():
                return _failed(f"the solution lowered limits of its supervisor: {error}")
            return _not_judged("host", f"the box failed while it read what the solution left: {error!r}")

    def _start(self, wanted: SolutionRequest) -> "_Started":
        write_files(self._work_folder, wanted["files"])
        streams = Streams(wanted["stdin"])
        told, tell = os.pipe()
        before = limits.own_limits()  # read before the program starts, which may lower them at once
        pid = self._fork()
        if pid == 0:
            os.close(told)
            _become_solution(wanted, streams, self._standard, tell)
        os.close(tell)
        return _Started(wanted, self._work_folder, streams, pid, told, before)


class _Started:
    """A grandchild that runs a model's code, or is about to."""

    def __init__(
        self,
        wanted: SolutionRequest,
        work_folder: str,
        streams: "Streams",
        pid: int,
        told: int,
        limits_before: tuple[tuple[int, int], ...],
    ) -> None:
        self._wanted = wanted
        self._work_folder = work_folder
        self._streams = streams
        self._pid = pid
        self._told = told
        self._cpu_clock = CpuClock(pid)
        self._limits = limits_before

    def has_changed_supervisor(self) -> bool:
        """Whether the program lowered the limits of this process. Docker's seccomp filter prevents it; other backends
        do not.
        """
        return limits.own_limits() != self._limits

    def finish(self) -> dict[str, Any]:
        """Wait for its end, up to its time limit, and collect its results. Raises NotPreparedError."""
        wanted, streams = self._wanted, self._streams
        try:
            timed_out = not _exits_within(self._pid, wanted["timeout_seconds"], self._cpu_clock)
        finally:
            _kill_process_group(self._pid)
        _, status = os.waitpid(self._pid, 0)
        if os.read(self._told, 1) != _BEGUN:
            raise NotPreparedError(f"the process for the solution ended with {status} before it had begun")
        stderr = _head(streams.stderr)
        error = _what_went_wrong(status, timed_out, wanted, stderr)
        results = _results(streams.results, wanted, may_be_cut=bool(error))
        if not error and any(row is _NO_RETURN for row in results):
            error = "the solution's process ended before every call had returned"
        return {
            "exit_status": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "stdout": _head(streams.stdout),
            "stderr": stderr,
            "results": results,
            "files": collect_files(self._work_folder, wanted["files"]),
            "timed_out": timed_out,
            "error": error,
        }


def _within_limit(result: dict[str, Any]) -> bytes:
    """``result`` as JSON. If it is too large and the program failed anyway, its output and files are left out."""
    reply = _encode(result).encode("utf-8", "replace")
    if len(reply) <= MAX_REPLY_BYTES:
        return reply
    if not result["error"]:
        raise _TooLargeError(
            f"the solution's results and output have {len(reply)} bytes; {MAX_REPLY_BYTES} are allowed"
        )
    short = {**result, "stdout": "", "stderr": "", "results": [], "files": {}}
    return _encode(short).encode("utf-8", "replace")


def _failed(message: str) -> bytes:
    return _encode({"error": message}).encode("utf-8", "replace")


def _not_judged(kind: str, message: str) -> bytes:
    """A reply for a program that did not fail but has no result to judge. No verifier may take it for wrong."""
    return _encode({"fault": {"kind": kind, "message": message}}).encode("utf-8", "replace")


# -- in the grandchild ---------------------------------------------------------------------------------------------


def _become_solution(wanted: SolutionRequest, streams: Streams, standard: StandardStreams, tell: int) -> None:
    """Never returns. After the message on ``tell``, the model's code can change only its own result."""
    status = 1
    try:
        _prepare(wanted, streams, standard, tell)
    except BaseException:  # nothing was said on ``tell``, so the supervisor takes it for the box's fault
        os._exit(status)
    try:
        if wanted["argv"] is not None:
            os.execvp(wanted["argv"][0], wanted["argv"])  # noqa: S606 -- the request is to run this
        status = _run_code(wanted)
    except SystemExit as ending:
        status = _exit_status(ending)
    except BaseException as error:
        _print_own_frames(error)
    try:
        if not wanted["entry"]:
            _end_script()
    except BaseException as error:
        _print_own_frames(error)
    finally:
        for stream in (sys.stdout, *standard):
            try:
                stream.flush()
            except Exception:  # the program may have closed or replaced it; its status says how it ended
                pass
        os._exit(status)


def _end_script() -> None:
    """What Python does at the end of a script: wait for its threads, then run what it registered with ``atexit``.

    The results of functions are complete when they have returned, so what those leave behind is not waited for.
    """
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()  # noqa: SLF001 -- as the interpreter does; there is no public way
    atexit._run_exitfuncs()  # noqa: SLF001


def _prepare(wanted: SolutionRequest, streams: Streams, standard: StandardStreams, tell: int) -> None:
    os.setsid()
    tell = moved_up(tell)
    streams.install(keep=tell)
    sys.stdin, sys.stdout, sys.stderr = standard
    vars(sys).update(__stdin__=sys.stdin, __stdout__=sys.stdout, __stderr__=sys.stderr)
    atexit._clear()  # noqa: SLF001 -- what the box registered is not the program's
    sys.path.insert(0, os.getcwd())
    limits.lower_memory(wanted["memory_mb"])
    limits.limit_cpu(wanted["timeout_seconds"])
    os.write(tell, _BEGUN)
    os.close(tell)


def _print_own_frames(error: BaseException) -> None:
    """Print the traceback without our own frames."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames, limit=-8)


def _run_code(wanted: SolutionRequest) -> int:
    """Run the code as a script, or as a module whose ``entry`` is then called on each list of arguments.

    The module is in ``sys.modules``, where dataclasses, pickle and ``import __main__`` look for it.
    """
    entry, code = wanted["entry"], wanted["code"]
    assert code is not None
    sys.argv = ["solution.py"]
    module = type(sys)("solution" if entry else "__main__")
    sys.modules[module.__name__] = module
    namespace = module.__dict__
    namespace |= {"__builtins__": builtins, "__file__": "solution.py"}
    exec(compile(code, "solution.py", "exec"), namespace)
    if entry:
        function = namespace[entry]
        written = 0
        for arguments in wanted["calls"] or []:
            line = _call(function, arguments)
            written += len(line)
            _write_result(line[: len(line) + _RESULT_BYTES + 1 - written])
            if written > _RESULT_BYTES:  # one byte over the limit has been written, by which the supervisor knows
                break
    return 0


def _call(function: Any, arguments: list[Any]) -> bytes:
    """One line of results: the returned value as JSON, or the exception."""
    try:
        return _encode({"value": function(*arguments)}).encode() + b"\n"
    except (Exception, SystemExit) as error:
        line = _encode({"error": f"{type(error).__name__}: {error}"[:500]})
        return line.encode("utf-8", "replace") + b"\n"


def _write_result(line: bytes) -> None:
    while line:
        line = line[os.write(RESULT_DESCRIPTOR, line) :]


def _exit_status(ending: SystemExit) -> int:
    if ending.code is None:
        return 0
    if isinstance(ending.code, int):
        return ending.code & 0xFF
    sys.stderr.write(f"{ending.code}\n")
    return 1


# -- in the supervisor ---------------------------------------------------------------------------------------------


class _StarvedError(Exception):
    """Other programs kept this one from the processor for longer than its time limit."""


class _TooLargeError(Exception):
    """A program succeeded, but its result is too large to be transferred."""


def _exits_within(pid: int, seconds: float, clock: CpuClock) -> bool:
    """Wait for its end. A program that other programs of the machine keep from the processor is given more time.

    Otherwise a right program would count as wrong on a busy machine. Raises _StarvedError if that time is too short
    too.
    """
    watch = ExitWatch(pid)
    try:
        started = clock.now()
        if watch.wait(seconds):
            return True
        while is_starved := clock.is_starved(seconds):
            if clock.now() - started >= most_seconds(seconds, is_exact=clock.is_exact):
                break
            if watch.wait(0.05):
                return True
    finally:
        watch.close()
    if is_starved and clock.is_exact:
        raise _StarvedError(f"the solution got less than {seconds:g} s of processor time on a busy machine")
    return False


def most_seconds(seconds: float, *, is_exact: bool = True) -> float:
    """How long a program with a limit of ``seconds`` may take in all, if others keep it from the processor."""
    return max(seconds * STARVED_FACTOR, LEAST_STARVED_SECONDS) if is_exact else seconds * _STARVED_FACTOR_UNSURE


def _kill_process_group(pid: int) -> None:
    """Kill ``pid``, which is not reaped yet, and its process group if it already leads one."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # it leads no process group yet, or has ended
            pass


def _results(file: int, wanted: SolutionRequest, *, may_be_cut: bool) -> list[dict[str, Any]]:
    """One item for each requested call. A call without a result is an error.

    Raises _TooLargeError for results that are too large, unless the program has failed anyway (``may_be_cut``).
    """
    count = len(wanted["calls"] or [])
    if count == 0:
        return []
    data = first_bytes(file, _RESULT_BYTES + 1)
    if len(data) > _RESULT_BYTES and not may_be_cut:
        raise _TooLargeError(f"the solution's results have more than {_RESULT_BYTES} bytes")
    lines = data[:_RESULT_BYTES].split(b"\n")[:-1]
    rows: list[dict[str, Any]] = []
    for line in lines[:count]:
        try:
            rows.append(_checked_row(parse(line, around=1)))
        except NotPlainError as error:
            rows.append({"error": f"the result cannot be used: {error}"})
    missing = count - len(rows)
    return rows + [_NO_RETURN] * missing


def _checked_row(row: Any) -> dict[str, Any]:
    """Check one line of results. The model's code may have written anything there."""
    if isinstance(row, dict) and len(row) == 1 and ("value" in row or isinstance(row.get("error"), str)):
        return row
    raise NotPlainError("it is neither a value nor an error")


def _what_went_wrong(status: int, timed_out: bool, wanted: SolutionRequest, stderr: str) -> str:
    if timed_out:
        return f"the solution took longer than {wanted['timeout_seconds']:g} s"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return f"the solution took longer than {wanted['timeout_seconds']:g} s"
        return f"the solution's process died of signal {number}"
    if os.WEXITSTATUS(status):
        last_line = stderr.strip().rpartition("\n")[2][:300]
        return f"the solution ended with status {os.WEXITSTATUS(status)}{': ' if last_line else ''}{last_line}"
    return ""


def _head(file: int) -> str:
    """The first part of a stream, as text."""
    return first_bytes(file, _OUTPUT_BYTES).decode("utf-8", "replace")

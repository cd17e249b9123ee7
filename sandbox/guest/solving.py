"""The solution box's side of run_solution: a model's code runs in a grandchild, a supervisor keeps what it left.

The supervisor is the zygote's child for this call. Only it holds the line; the grandchild gets standard streams that
are unnamed files and a descriptor for its JSON results, nothing else of ours.
"""

import io
import json
import os
import signal
import stat
import sys
import tempfile
import time
import traceback
from typing import IO, Any, TextIO

from sandbox.guest import limits
from sandbox.guest.exits import ExitWatch
from sandbox.guest.frames import MAX_REPLY_BYTES

_OUTPUT_BYTES = 64 << 10
_RESULT_BYTES = 512 << 10
_FILES_BYTES = 256 << 10
_FILE_COUNT = 64
_RESULT_DESCRIPTOR = 3
STARVED_FACTOR = 3
_NO_RETURN = {"error": "the call did not return"}
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode


class Solver:
    """Answers one request a call; see :func:`sandbox.guest.run_solution` for what its fields mean."""

    def __init__(self, work_folder: str) -> None:
        self._work_folder = work_folder

    def answer(self, request: bytes | memoryview) -> bytes:
        """The request's JSON in, the result's JSON out. A solution that fails is a result too."""
        try:
            wanted = json.loads(bytes(request))
            reply = _encode(self._solve(wanted)).encode("utf-8", "replace")
        except MemoryError:
            return _encode({"error": "the solution's output did not fit into memory"}).encode()
        except Exception as error:
            return _encode({"error": f"the solution could not be run: {error}"}).encode()
        if len(reply) > MAX_REPLY_BYTES:
            return _encode({"error": f"the solution's results have {len(reply)} bytes: too many"}).encode()
        return reply

    def _solve(self, wanted: dict[str, Any]) -> dict[str, Any]:
        before = _write_files(self._work_folder, wanted["files"])
        streams = _Streams(wanted["stdin"])
        pid = os.fork()
        if pid == 0:
            _become_solution(wanted, streams)
        timed_out = not _exits_within(pid, wanted["timeout_seconds"])
        if timed_out:
            _kill_group(pid)
        _, status = os.waitpid(pid, 0)
        _kill_group(pid)
        results = _results(streams.results, wanted)
        stderr = _head(streams.stderr)
        error = _what_went_wrong(status, timed_out, wanted, stderr)
        if not error and any(row is _NO_RETURN for row in results):
            error = "the solution's process ended before every call had returned"
        return {
            "exit_status": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "stdout": _head(streams.stdout),
            "stderr": stderr,
            "results": results,
            "files": _collect_files(self._work_folder, before),
            "timed_out": timed_out,
            "error": error,
        }


class _Streams:
    """Four files without names, in the work folder's file system: its size limit is theirs too."""

    def __init__(self, stdin: str) -> None:
        self.stdin, self.stdout, self.stderr, self.results = (_unnamed_file() for _ in range(4))
        self.stdin.write(stdin.encode("utf-8", "surrogatepass"))
        self.stdin.seek(0)

    def install(self) -> None:
        """Make them descriptors 0 to 3 of this process and close everything else."""
        files = (self.stdin, self.stdout, self.stderr, self.results)
        high = [os.dup(file.fileno()) for file in files]
        high = [_moved_up(descriptor) for descriptor in high]
        for target, descriptor in enumerate(high):
            os.dup2(descriptor, target, inheritable=target != _RESULT_DESCRIPTOR)
        os.closerange(_RESULT_DESCRIPTOR + 1, 1024)


def _unnamed_file() -> IO[bytes]:
    return tempfile.TemporaryFile(dir=".")


def _moved_up(descriptor: int) -> int:
    """Out of the way of descriptors 0 to 3."""
    import fcntl  # noqa: PLC0415 -- the grandchild's business only

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, 16)


# -- in the grandchild ---------------------------------------------------------------------------------------------


def _become_solution(wanted: dict[str, Any], streams: _Streams) -> None:
    """Never returns. Whatever the code does from here on can only spoil its own result."""
    status = 1
    try:
        os.setsid()
        streams.install()
        limits.lower_memory(wanted["memory_mb"])
        limits.limit_cpu(0, wanted["timeout_seconds"])
        sys.stdin, sys.stdout, sys.stderr = _text_stream(0, "r"), _text_stream(1, "w"), _text_stream(2, "w")
        sys.path.insert(0, os.getcwd())
        if wanted["argv"] is not None:
            os.execvp(wanted["argv"][0], wanted["argv"])  # noqa: S606 -- what was asked for, in a box of its own
        status = _run_code(wanted)
    except SystemExit as ending:
        status = _exit_status(ending)
    except BaseException as error:
        _print_own_frames(error)
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        os._exit(status)


def _text_stream(descriptor: int, mode: str) -> TextIO:
    stream = open(descriptor, mode, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115 -- for good
    assert isinstance(stream, io.TextIOWrapper)
    return stream


def _print_own_frames(error: BaseException) -> None:
    """The traceback as the model's code would have it, without the frames that lead there."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames, limit=-8)


def _run_code(wanted: dict[str, Any]) -> int:
    """As a script, or as a module whose ``entry`` is then called on each list of arguments."""
    entry = wanted["entry"]
    sys.argv = ["solution.py"]
    namespace: dict[str, Any] = {"__name__": "solution" if entry else "__main__", "__builtins__": __builtins__}
    exec(compile(wanted["code"], "solution.py", "exec"), namespace)
    if entry:
        function = namespace[entry]
        for arguments in wanted["calls"]:
            _write_result(_call(function, arguments))
    return 0


def _call(function: Any, arguments: list[Any]) -> bytes:
    """One line of results: the value as JSON, or what the call raised."""
    try:
        line = _encode({"value": function(*arguments)})
    except (Exception, SystemExit) as error:
        line = _encode({"error": f"{type(error).__name__}: {error}"[:500]})
    return line.encode("utf-8", "replace") + b"\n"


def _write_result(line: bytes) -> None:
    os.write(_RESULT_DESCRIPTOR, line)


def _exit_status(ending: SystemExit) -> int:
    if ending.code is None:
        return 0
    if isinstance(ending.code, int):
        return ending.code & 0xFF
    sys.stderr.write(f"{ending.code}\n")
    return 1


# -- in the supervisor ---------------------------------------------------------------------------------------------


def _exits_within(pid: int, seconds: float) -> bool:
    """Wait for its end. On a busy machine a program that wants to run and was not let is given more time, up to thrice.

    Otherwise a right program would be called wrong because somebody else was using the processor.
    """
    watch = ExitWatch(pid)
    try:
        started = time.monotonic()
        if watch.wait(seconds):
            return True
        while time.monotonic() - started < seconds * STARVED_FACTOR and _is_starved(pid, seconds):
            if watch.wait(0.05):
                return True
        return False
    finally:
        watch.close()


def _is_starved(pid: int, seconds: float) -> bool:
    """True while the process is runnable and has had less than ``seconds`` of processor time."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return False
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return fields[0] == b"R" and used < seconds * 0.9


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _results(file: IO[bytes], wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """One item for each call that was asked for; those that never answered are errors."""
    if not wanted["entry"]:
        return []
    file.seek(0)
    lines = file.read(_RESULT_BYTES + 1)[:_RESULT_BYTES].split(b"\n")[:-1]
    rows: list[dict[str, Any]] = []
    for line in lines[: len(wanted["calls"])]:
        try:
            rows.append(json.loads(line, parse_constant=_refuse))
        except (ValueError, RecursionError):
            rows.append({"error": "the result is not JSON"})
    missing = len(wanted["calls"]) - len(rows)
    return rows + [_NO_RETURN] * missing


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _what_went_wrong(status: int, timed_out: bool, wanted: dict[str, Any], stderr: str) -> str:
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


def _head(file: IO[bytes]) -> str:
    """The first part of a stream, as text."""
    file.seek(0)
    return file.read(_OUTPUT_BYTES).decode("utf-8", "replace")


def _write_files(folder: str, files: dict[str, str]) -> dict[str, str]:
    """Write the verifier's files below ``folder``; names may not leave it."""
    for name, text in files.items():
        parts = name.split("/")
        if name.startswith("/") or any(part in ("", ".", "..") for part in parts):
            raise ValueError(f"{name!r} is not a path inside the solution's folder")
        path = os.path.join(folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return dict(files)


def _collect_files(folder: str, before: dict[str, str]) -> dict[str, str]:
    """Small text files that are new or changed. Regular files only; no link is followed."""
    found: dict[str, str] = {}
    budget = _FILES_BYTES
    for root, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(root, name)
            text = _read_text(path, budget)
            relative = os.path.relpath(path, folder)
            if text is None or before.get(relative) == text:
                continue
            budget -= len(text)
            found[relative] = text
            if len(found) == _FILE_COUNT or budget <= 0:
                return found
    return found


def _read_text(path: str, budget: int) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > budget:
            return None
        return os.read(descriptor, facts.st_size).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    finally:
        os.close(descriptor)

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.guest.frames import MAX_REPLY_BYTES
from sandbox.guest.solver import LEAST_STARVED_SECONDS, STARVED_FACTOR, _exits_within, _StarvedError
from sandbox.guest.starvation import CpuClock

ROOT = Path(__file__).resolve().parents[3]


class Clock(CpuClock):
    """Says what a test wants of a program; its time passes by a second with each look."""

    def __init__(self, pid: int, *, is_starved: bool, is_exact: bool) -> None:
        super().__init__(pid, lambda: 0.0 if is_exact else None)
        self._says = is_starved
        self._passed = 0.0
        self.now = self._next

    def _next(self) -> float:
        self._passed += 1.0
        return self._passed

    def is_starved(self, seconds: float) -> bool:
        return self._says


@pytest.fixture
def sleeper() -> Iterator[int]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


def test_a_program_that_is_not_starved_ends_on_time(sleeper: int) -> None:
    assert not _exits_within(sleeper, 0.01, Clock(sleeper, is_starved=False, is_exact=True))


def test_a_program_that_never_got_its_time_is_no_failure(sleeper: int) -> None:
    clock = Clock(sleeper, is_starved=True, is_exact=True)
    with pytest.raises(_StarvedError, match="busy machine"):
        _exits_within(sleeper, 0.01, clock)
    assert clock._passed >= max(0.01 * STARVED_FACTOR, LEAST_STARVED_SECONDS)


def test_a_short_limit_waits_as_long_for_its_time_as_a_busy_machine_takes(sleeper: int) -> None:
    """An endless program with 0.2 s got no verdict where nine others wanted two processors: it was given 2 s."""

    class Busy(Clock):
        def is_starved(self, seconds: float) -> bool:
            return self._passed < 6

    assert not _exits_within(sleeper, 0.01, Busy(sleeper, is_starved=True, is_exact=True))


def test_where_a_program_may_have_hidden_time_it_has_failed(sleeper: int) -> None:
    assert not _exits_within(sleeper, 0.01, Clock(sleeper, is_starved=True, is_exact=False))


def test_an_end_is_seen_at_once() -> None:
    with subprocess.Popen(["true"]) as process:
        assert _exits_within(process.pid, 60, Clock(process.pid, is_starved=False, is_exact=False))


# -- what comes back of a program, in a process of its own -----------------------------------------------------------


def solved(folder: Path, code: str, *arguments: list[Any], **more: Any) -> dict[str, Any]:
    """The reply of a supervisor that ran ``code``, and ``f`` of it on each list of ``arguments``."""
    request = {
        "code": textwrap.dedent(code),
        "argv": None,
        "files": {},
        "stdin": "",
        "entry": "f" if arguments else None,
        "calls": list(arguments) or None,
        "timeout_seconds": 30.0,
        "memory_mb": 512,
        **more,
    }
    program = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from sandbox.guest.solver import Solver
os.chdir({str(folder)!r})
sys.stdout.buffer.write(Solver(".").answer(sys.stdin.buffer.read()))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],  # as a box: without ``site``
        input=json.dumps(request).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert len(done.stdout) <= MAX_REPLY_BYTES
    reply: dict[str, Any] = json.loads(done.stdout)
    return reply


STREAMS = """
import sys

def f():
    print("half", "a", sep="-")
    print("\\ud800 cannot be encoded", file=sys.stderr)
    return [sys.stdin.read(), sys.stdin.read(), sys.stdout.tell() >= 0, sys.stdin.encoding]
"""


@pytest.mark.parametrize("stdin", ["", "two\nlines", "\u00e9" * 100_000])
def test_a_program_reads_and_writes_its_own_streams(tmp_path: Path, stdin: str) -> None:
    """The stream objects are made before its process; what they are connected to is not."""
    reply = solved(tmp_path, STREAMS, [], stdin=stdin)
    assert reply["error"] == "", reply
    assert reply["results"] == [{"value": [stdin, "", True, "utf-8"]}]
    assert (reply["stdout"], reply["stderr"]) == ("half-a\n", "? cannot be encoded\n")


NEST = """
def f(levels):
    value = "x"
    for _ in range(levels):
        value = [value]
    return value
"""


@pytest.mark.parametrize("levels", [0, 198, 200])
def test_a_value_may_be_nested_as_deep_as_is_promised(tmp_path: Path, levels: int) -> None:
    reply = solved(tmp_path, NEST, [levels])
    assert reply["error"] == ""
    assert json.dumps(reply["results"][0]["value"]).count("[") == levels


def test_a_value_that_is_deeper_is_an_error_of_its_call(tmp_path: Path) -> None:
    deep, flat = solved(tmp_path, NEST, [201], [1])["results"]
    assert "nested more than 200 deep" in deep["error"]
    assert flat == {"value": ["x"]}


@pytest.mark.parametrize(
    "code",
    [
        "def f(n): return list(range(n))",
        "def f(n): return chr(1) * n",
        "def f(n): return 'x' * 60 * n",  # more than a file may have
        "import sys\ndef f(n): sys.stdout.write(chr(1) * n); sys.stderr.write(chr(1) * n); return chr(1) * (n // 2)",
    ],
    ids=["numbers", "control characters", "huge", "control characters everywhere"],
)
def test_what_is_too_large_is_neither_right_nor_wrong(tmp_path: Path, code: str) -> None:
    reply = solved(tmp_path, code, [150_000])
    assert set(reply) == {"fault"}
    assert reply["fault"]["kind"] == "output"


def test_a_program_that_fails_has_failed_however_much_it_left(tmp_path: Path) -> None:
    """Else a model could have its failures taken back by printing."""
    code = "import os\nfor i in range(60): open(str(i), 'w').write(chr(1) * 4000)\nprint(chr(1) * 70000)\nos._exit(3)"
    reply = solved(tmp_path, code)
    assert reply["error"].startswith("the solution ended with status 3")
    reply = solved(tmp_path, "import os\ndef f(n):\n    os.write(3, b'x' * n)\n    os._exit(3)", [600_000])
    assert reply["error"].startswith("the solution ended with status 3")


def test_a_folder_full_of_control_characters_is_no_wrong_answer(tmp_path: Path) -> None:
    code = "for i in range(60): open(str(i), 'w').write(chr(1) * 4000)\nprint(chr(1) * 70000)"
    assert solved(tmp_path, code)["fault"]["kind"] == "output"


NESTED = """
import os
def f(levels):
    open("top", "w").write("x")
    for level in range(levels):
        os.mkdir("a")
        os.chdir("a")
        if level == 1:
            open("b", "w").write("y")
    return "wrong"
"""


def test_however_deep_a_program_nests_folders_its_answer_counts(tmp_path: Path) -> None:
    """Else a wrong program could have itself taken for a fault of the host."""
    reply = solved(tmp_path, NESTED, [1000])
    subprocess.run(["rm", "-r", tmp_path / "a"], check=True)  # pytest could not
    assert reply["results"] == [{"value": "wrong"}]
    assert reply["files"]["top"] == "x"
    assert reply["files"]["a/a/b"] == "y"


def test_a_program_that_had_not_begun_is_ended_too() -> None:
    """It has no process group of its own yet, so the signal has to name the process itself."""
    pid = os.fork()
    if pid == 0:
        while True:
            signal_never_comes = os.sched_yield()
            del signal_never_comes
    from sandbox.guest.solver import _kill_process_group  # noqa: PLC0415 -- beside its only use

    _kill_process_group(pid)
    assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == 9


# -- a script ends as Python ends it ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "print('all')\nexit()",
        "print('all')\nquit(0)",
        "import threading\nthreading.Thread(target=lambda: print('all')).start()",
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.05), print('all'))).start()\nexit()",
        "import atexit\natexit.register(print, 'all')",
        "import atexit, io, sys\nsys.stdout = o = io.StringIO()\natexit.register(lambda: sys.__stdout__.write(o.getvalue()))\nprint('all')",
        "import sys\nreal = sys.stdout\nreal.write('all')\nsys.stdout = None",
        "import __main__\nword = 'all'\nprint(__main__.word)",
        "import pickle\nclass A: pass\nprint('all' if pickle.loads(pickle.dumps(A())) else '')",
        "import os\nprint('all' if os.path.dirname(os.path.abspath(__file__)) == os.getcwd() else '')",
    ],
)
def test_a_script_behaves_as_one_that_python_runs(tmp_path: Path, code: str) -> None:
    reply = solved(tmp_path, code)
    assert (reply["stdout"].strip(), reply["error"]) == ("all", ""), reply


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("exit('no')", "status 1: no"),
        ("import atexit\n@atexit.register\ndef f(): print('all')\nexit(3)", "status 3"),
    ],
)
def test_a_script_that_says_it_failed_has_failed(tmp_path: Path, code: str, error: str) -> None:
    assert error in solved(tmp_path, code)["error"]


def test_a_thread_that_never_ends_is_late(tmp_path: Path) -> None:
    code = "import threading, time\nthreading.Thread(target=lambda: time.sleep(60)).start()\nprint('all')"
    assert solved(tmp_path, code, timeout_seconds=0.3)["timed_out"]


def test_functions_are_not_kept_waiting_by_a_thread(tmp_path: Path) -> None:
    code = "import threading, time\nthreading.Thread(target=lambda: time.sleep(60)).start()\ndef f(): return 1"
    reply = solved(tmp_path, code, [], timeout_seconds=5.0)
    assert (reply["results"], reply["error"]) == ([{"value": 1}], "")


def test_a_dataclass_may_have_its_annotations_as_text(tmp_path: Path) -> None:
    """``dataclasses`` looks into the module of the class."""
    code = """
    from __future__ import annotations
    from dataclasses import dataclass

    @dataclass
    class Pair:
        left: int

    def f():
        return Pair(1).left
    """
    assert solved(tmp_path, code, [])["results"] == [{"value": 1}]

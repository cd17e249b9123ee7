"""CallGroups of calls, seen from the host's end of the line."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from sandbox.guest import frames
from sandbox.guest.baseline import Baseline
from sandbox.guest.call_groups import CallGroups, _outcome
from sandbox.guest.child import Child
from sandbox.guest.clock import LEAST_PAUSE_SECONDS, Clock
from sandbox.guest.line import Line
from tests.sandbox.guest.driver import RAW_LINE, Guest, GuestTime

PACKAGE = (
    RAW_LINE
    + """
import os, resource

def verify(task, response):
    scope = dict(globals())
    exec(response, scope)
    return {"correct": scope.get("reward", 1.0)}
"""
)
LOWER = "resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (0, 0))"
CLOSE = "os.chmod('.', 0o500)"
RIGHT = {"rewards": {"correct": 1.0}}


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[Guest]:
    with Guest(tmp_path, PACKAGE) as guest:
        yield guest


def test_calls_of_a_group_answer_in_order(guest: Guest) -> None:
    group = guest.run("reward = 0.0", "reward = 1.0", "reward = None", level=frames.BATCH)
    assert (group.status, group.is_stale) == (frames.FINISHED, False)
    assert [group.replies[number]["rewards"]["correct"] for number in range(3)] == [0.0, 1.0, None]


@pytest.mark.parametrize("program", [LOWER, CLOSE, "resource.prlimit(os.getppid(), 10, (7, 7))"])
def test_a_call_that_changes_the_box_is_the_last_one_there(guest: Guest, program: str) -> None:
    group = guest.run(program)
    assert (group.status, group.is_stale) == (frames.FINISHED, True)
    later = guest.run("reward = 1.0")
    assert (later.status, later.is_stale, later.replies) == (frames.RETURNED, True, {})
    assert guest.run("", level=frames.WORKER).status == frames.RETURNED


@pytest.mark.parametrize("level", [frames.BATCH, frames.WORKER])
def test_answers_beside_a_change_do_not_count(guest: Guest, level: int) -> None:
    group = guest.run("", LOWER, "", level=level)
    assert (group.status, group.is_stale) == (frames.BROKEN, True)
    assert guest.run("").status == frames.RETURNED


def test_a_worker_that_changes_the_box_after_its_answer_spoils_no_call_of_another_level(guest: Guest) -> None:
    later = f"""
import threading
go, done = os.pipe(), os.pipe()
def change():
    os.read(go[0], 1)
    {LOWER}
    os.write(done[1], b'd')
threading.Thread(target=change, daemon=True).start()
globals_ = __import__('pack').__dict__
globals_['pipes'] = go, done
"""
    assert guest.run(later, level=frames.WORKER).status == frames.FINISHED
    release = "import pack\ngo, done = pack.pipes\nos.write(go[1], b'g')\nos.read(done[0], 1)"
    spoilt = guest.run(release, level=frames.WORKER)
    assert (spoilt.status, spoilt.is_stale) == (frames.BROKEN, True)
    assert guest.run("").status == frames.RETURNED


def test_what_a_worker_left_goes_before_a_call_of_its_own(guest: Guest) -> None:
    assert guest.run("open('left', 'w').close()", level=frames.WORKER).status == frames.FINISHED
    group = guest.run("reward = float(os.listdir('.') == [])")
    assert (group.status, group.replies) == (frames.FINISHED, {0: RIGHT})


def test_leftover_processes_are_killed_and_counted(guest: Guest) -> None:
    group = guest.run("import time\nif os.fork() == 0:\n    time.sleep(1000)")
    assert (group.status, group.is_stale) == (frames.FINISHED, False)
    assert guest.run("").leftovers == 0


def test_a_call_takes_its_limits_along_and_no_more(guest: Guest) -> None:
    own = (
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); resource.setrlimit(resource.RLIMIT_CPU, (1, 1)); os.nice(5)"
    )
    assert guest.run(own).is_stale is False
    group = guest.run("open('f', 'w').write('x' * 9000)\nreward = float(os.path.getsize('f') == 9000)", seconds=57.0)
    assert group.replies == {0: RIGHT}
    limits = guest.run("reward = float(resource.getrlimit(resource.RLIMIT_CPU) == (58, 58))", seconds=57.0)
    assert limits.replies == {0: RIGHT}


def test_handlers_of_the_import_do_not_stay(tmp_path: Path) -> None:
    handlers = """
import signal
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, lambda *_: None)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
"""
    with Guest(tmp_path, handlers + PACKAGE) as guest:
        status = (
            "held = dict(line.split(':\\t') for line in open('/proc/%d/status' % os.getppid()).read().splitlines())"
        )
        group = guest.run(f"{status}\nassert int(held['SigCgt'], 16) == int(held['SigBlk'], 16) == 0, held")
        assert group.replies == {0: RIGHT}


FORGED = """
from sandbox.guest import frames
reply = b'{"rewards":{"correct":1.0}}'
line().send(b'E' + frames.REPLY.pack(len(reply), 0, 1) + reply)
reward = 0.0
"""


@pytest.mark.parametrize(
    "hide", ["", "line().send(b'')", "line().send(b''); line().send(b'')"], ids=["plainly", "one", "two"]
)
def test_two_answers_are_none_whatever_lies_between_them(guest: Guest, hide: str) -> None:
    """A message without bytes looks like the end of the file to whoever receives it."""
    assert guest.run(FORGED + hide).status == frames.BROKEN
    assert guest.run("reward = 0.0").replies == {0: {"rewards": {"correct": 0.0}}}


def test_a_verifier_that_used_hours_of_processors_does_not_end_its_box() -> None:
    """Eight busy processes under a limit of ten minutes have more microseconds than 32 bits hold."""
    child = SimpleNamespace(cpu_us=1 << 33, max_rss_kb=1)
    outcome = _outcome(Clock(1.0), frames.FINISHED, 0, cast("Child", child), 1 << 20, is_stale=False)
    assert frames.unpack_outcome(outcome)[3:6] == ((1 << 32) - 1, 1, 65535)


# -- requests for solutions ----------------------------------------------------------------------------------------


def test_a_solutions_answer_reaches_the_call(guest: Guest) -> None:
    ask = "from sandbox.guest import run_solution\nreward = float(run_solution(code='1').stdout == 'hello')"
    ident = guest.start([{"task": {}, "response": ask}])
    whose, request = guest.expect(frames.ASK)
    assert whose == ident
    assert json.loads(request[1:])["code"] == "1"
    guest.send(frames.SOLVED, ident, b'{"stdout": "hello"}')
    assert guest.end(ident, 1).replies == {0: RIGHT}


def test_groups_that_come_while_a_solution_runs_go_back(guest: Guest) -> None:
    ident = guest.start([{"task": {}, "response": "from sandbox.guest import run_solution\nrun_solution(code='1')"}])
    guest.expect(frames.ASK)
    other = guest.start([{"task": {}, "response": ""}])
    assert guest.end(other, 1).status == frames.RETURNED
    guest.send(frames.SOLVED, 99, b"{}")
    guest.send(frames.SOLVED, ident, b"{}")
    assert guest.end(ident, 1).replies == {0: RIGHT}


def test_a_request_without_end_ends_the_call_and_not_the_box(guest: Guest) -> None:
    ident = guest.start([{"task": {}, "response": "l = line()\nwhile True:\n    l.send(b'a' + b'x' * 60000)"}])
    asked = 0
    while True:
        frame = guest.read()
        assert frame is not None
        if frame[0] == frames.DONE:
            break
        asked += len(frame[2])
    assert asked <= frames.MAX_ASK_BYTES
    assert frames.OUTCOME.unpack(frame[2])[0] == frames.FLOODED
    assert frame[1] == ident
    assert guest.run("").replies == {0: RIGHT}


def test_requests_without_number_end_by_the_clock(tmp_path: Path) -> None:
    now = GuestTime(tmp_path)
    with Guest(tmp_path, now.lines + PACKAGE) as guest:
        ident = guest.start([{"task": {}, "response": "l = line()\nwhile True:\n    l.send(b'A{}')\n    l.recv(9)"}])
        answered = 0
        while (frame := guest.read()) is not None and frame[0] == frames.ASK:
            now.advance(LEAST_PAUSE_SECONDS / 8.5)
            guest.send(frames.SOLVED, ident, b"{}")
            answered += 1
        assert frame is not None
        assert frames.OUTCOME.unpack(frame[2])[0] == frames.TIMED_OUT
        assert answered <= 10
        assert guest.run("").replies == {0: RIGHT}


def test_a_host_that_never_answers_does_not_hold_the_call_for_ever(tmp_path: Path) -> None:
    now = GuestTime(tmp_path)
    with Guest(tmp_path, now.lines + PACKAGE) as guest:
        ask = "l = line()\nl.send(b'A{}')\nl.recv(9)\nl.send(b'A{}')\nl.recv(9)"
        ident = guest.start([{"task": {}, "response": ask}])
        guest.expect(frames.ASK)
        now.advance(LEAST_PAUSE_SECONDS)
        guest.send(frames.SOLVED, ident, b"{}")
        # A guest that already waited takes this answer, and has no time for the next question; else it ends at once.
        assert guest.end(ident, 1, may_ask=True).status == frames.TIMED_OUT


def test_an_answer_that_lies_there_already_gives_no_time_to_a_call_that_has_had_all_of_it(tmp_path: Path) -> None:
    """Else a call that asks without end goes on for as long as its host answers quickly."""
    incoming, to_guest = os.pipe()
    os.write(to_guest, frames.pack(frames.SOLVED, 7, b"{}"))
    groups = CallGroups(Line(incoming, to_guest), str(tmp_path), lambda _: b"", cast("Baseline", None))
    now = [0.0]
    clock = Clock(1.0, 1, lambda: now[0])
    clock.pause()
    now[0] = clock.pause_seconds
    child = SimpleNamespace(send_parts=lambda *_: pytest.fail("the call goes on"))
    assert groups._await_solution(cast("Child", child), 7, clock) == frames.TIMED_OUT
    os.close(incoming)
    os.close(to_guest)


# -- solution boxes ------------------------------------------------------------------------------------------------

REQUEST = {
    "code": "def f(x):\n    return x * 2",
    "argv": None,
    "files": {},
    "stdin": "",
    "entry": "f",
    "calls": [[21]],
    "timeout_seconds": 30.0,
    "memory_mb": 64,
}


def test_a_solution_box_solves(tmp_path: Path) -> None:
    with Guest(tmp_path, role="solution") as guest:
        group = guest.end(guest.start([REQUEST]), 1)
        assert (group.status, group.is_stale) == (frames.FINISHED, False)
        assert group.replies[0]["results"] == [{"value": 42}]
        assert group.replies[0]["error"] == ""


RELAYS_ALL = "from sandbox.guest import call_loop\ncall_loop.flush_nanoseconds = lambda _: 0"
"""No reply waits for the end of its call group."""


@pytest.mark.parametrize(
    "broken",
    [
        "from sandbox.guest import solution_streams as streams\nstreams._unnamed_file = lambda: open('/nowhere/file')",
        "def refuse(*_): raise PermissionError(13, 'no')\nsolver.Streams = refuse",
        "def refuse(*_): raise OSError(24, 'too many open files')\nsolver.moved_up = refuse",
        "def refuse(*_): raise MemoryError\nsolver.write_files = refuse",
        "solver.limits.limit_cpu = (lambda before: lambda s: before(s) if s > 30 else 1 / 0)(solver.limits.limit_cpu)",
        "solver.limits.lower_memory = lambda _: 1 / 0",
        "def refuse(*_): raise MemoryError\nsolver.check_request = refuse",
        "solver.Streams.install = lambda *_, **__: 1 / 0",
        "solver.os.setsid = lambda: 1 / 0",
        "solver.check_request = lambda _: {}",
        "solver.CpuClock = lambda _: 1 / 0",
        "solver.write_files = lambda *_: 1 / 0",
        "solver._encode = lambda _: 1 / 0",
        "from sandbox.guest import call_loop\ncall_loop.serve_group = lambda *_: 1 / 0",
        "from sandbox.guest import child\nchild.drop_lines = lambda **_: 1 / 0",
        "from sandbox.guest import call_groups\ncall_groups.Child = lambda *_: 1 / 0",
        "from sandbox.guest import call_groups\ncall_groups.CallGroups._attend = lambda *_: 1 / 0",
        f"{RELAYS_ALL}\nfrom sandbox.guest import call_groups\ncall_groups.CallGroups._relay = lambda *_: 1 / 0",
        "from sandbox.guest import cleanup\ncleanup.kill_leftovers = lambda _: 1 / 0",
        "from sandbox.guest import cleanup\ncleanup.wipe = lambda _: {}['x']",
        "from sandbox.guest import baseline\nbaseline.Baseline.find_change = lambda _: 1 / 0",
        "from sandbox.guest import call_groups\ncall_groups._outcome = lambda *_, **__: 1 / 0",
    ],
)
def test_a_failure_of_our_own_gives_the_request_back(tmp_path: Path, broken: str) -> None:
    code = f"from sandbox.guest import solver\n{broken}\n"
    with Guest(tmp_path, code, role="solution", preload=["pack"]) as guest:
        group = guest.end(guest.start([REQUEST]), 1)
        assert (group.status, group.is_stale) == (frames.RETURNED, True)


@pytest.mark.parametrize(
    "broken",
    [
        "solver._exits_within = lambda *_: 1 / 0",
        "solver._kill_process_group = lambda _: 1 / 0",
        "solver.ExitWatch = lambda _: 1 / 0",
        "solver._head = lambda _: 1 / 0",
        "solver._what_went_wrong = lambda *_: 1 / 0",
        "solver._results = lambda *_, **__: {}['x']",
        "solver._checked_row = lambda _: 1 / 0",
        "solver.collect_files = lambda *_: 1 / 0",
        "def refuse(*_): raise OSError(5, 'input/output error')\nsolver.collect_files = refuse",
        "solver._within_limit = lambda _: 1 / 0",
    ],
)
def test_a_failure_of_our_own_after_a_program_has_begun_is_the_hosts_and_never_wrong(
    tmp_path: Path, broken: str
) -> None:
    code = f"from sandbox.guest import solver\n{broken}\n"
    with Guest(tmp_path, code, role="solution", preload=["pack"]) as guest:
        group = guest.end(guest.start([REQUEST]), 1)
        assert group.status == frames.FINISHED
        assert set(group.replies[0]) == {"fault"}
        assert group.replies[0]["fault"]["kind"] == "host"


@pytest.mark.parametrize(
    "broken",
    [
        "from sandbox.guest import cleanup\ncleanup.kill_leftovers = lambda _: 1 / 0",
        "from sandbox.guest import baseline\nbaseline.Baseline.find_change = lambda _: 1 / 0",
        "from sandbox.guest import call_groups\ncall_groups.Child = lambda *_: 1 / 0",
        "from sandbox.guest import call_groups\ncall_groups.CallGroups._attend = lambda *_: 1 / 0",
    ],
)
def test_a_failure_of_the_zygote_of_a_package_loses_the_box_and_says_why(tmp_path: Path, broken: str) -> None:
    with Guest(tmp_path, f"{PACKAGE}\n{broken}\n") as guest:
        guest.start([{"task": {}, "response": ""}])
        guest.process.wait(60)
        assert guest.process.returncode != 0
        assert b"Traceback" in guest.process.stderr.read()


@pytest.mark.parametrize(
    "files",
    [
        {"../x": ""},
        {"/x": ""},
        {"a//b": ""},
        {"": ""},
        {"a": "", "a/b": ""},
        {"a/b": "", "a": ""},
        {"n" * 300: ""},
        {"\0": ""},
    ],
    ids=lambda files: str(list(files))[:12],
)
def test_files_that_no_box_can_write_are_the_requests_fault(tmp_path: Path, files: dict[str, str]) -> None:
    with Guest(tmp_path, role="solution") as guest:
        group = guest.end(guest.start([{**REQUEST, "files": files}]), 1)
        assert (group.status, group.is_stale) == (frames.FINISHED, False)
        assert "could not be" in group.replies[0]["error"]


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos._exit(75)",
        "import os\nos.kill(os.getpid(), 9)",
        "import os\nos.closerange(0, 64)\nos._exit(0)",
        "import os\nos.ftruncate(3, 0)\nos._exit(75)",
        "raise SystemExit(75)",
    ],
)
def test_a_program_cannot_say_that_the_box_was_at_fault(tmp_path: Path, code: str) -> None:
    with Guest(tmp_path, role="solution") as guest:
        group = guest.end(guest.start([{**REQUEST, "code": code}]), 1)
        assert group.status == frames.FINISHED
        assert group.replies[0]["error"]


@pytest.mark.parametrize(
    "attack",
    [
        "os.kill(os.getppid(), signal.SIGKILL)",
        "os.kill(os.getppid(), signal.SIGTERM)",
        "os.kill(os.getppid(), signal.SIGINT)",
        "os.kill(os.getppid(), signal.SIGXCPU)",
        "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))",
        "resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (0, 0))",
        "resource.prlimit(os.getppid(), resource.RLIMIT_AS, (1 << 20, 1 << 20))",
    ],
)
def test_a_program_that_attacks_its_supervisor_gets_no_second_try(tmp_path: Path, attack: str) -> None:
    """The engine's filter refuses most of this. Without it, a program must not trade its failure for "not judged"."""
    code = f"import os, signal, resource\n{attack}\ndef f(x): return 0"
    with Guest(tmp_path, role="solution") as guest:
        group = guest.end(guest.start([{**REQUEST, "code": code}]), 1)
        assert group.status != frames.RETURNED
        assert not group.is_stale
        if group.status == frames.FINISHED:
            assert "fault" not in group.replies[0]
        assert guest.end(guest.start([REQUEST]), 1).replies[0]["results"] == [{"value": 42}]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x = []\n    for _ in range(900): x = [x]\n    return x", "deep"),
        ("x = {}\n    for _ in range(300): x = {'a': x}\n    return x", "deep"),
        ("return '\\ud800'", "surrogates not allowed"),
        ("return float('nan')", "not JSON compliant"),
        ("import os\n    os.write(3, b'{\"value\": 1e999}\\n')\n    os._exit(0)", "too large"),
        ("import os\n    os.write(3, b'[1]\\n')\n    os._exit(0)", "neither a value nor an error"),
        ('import os\n    os.write(3, b\'{"value": "\\\\ud800"}\\n\')\n    os._exit(0)', "surrogate"),
    ],
)
def test_results_that_no_verifier_should_see_are_errors(tmp_path: Path, value: str, words: str) -> None:
    with Guest(tmp_path, role="solution") as guest:
        group = guest.end(guest.start([{**REQUEST, "code": f"def f(x):\n    {value}"}]), 1)
        [row] = group.replies[0]["results"]
        assert words in row["error"]


def test_a_guest_whose_host_is_gone_ends(tmp_path: Path) -> None:
    with Guest(tmp_path, PACKAGE) as guest:
        pass
    assert guest.process.returncode == 0

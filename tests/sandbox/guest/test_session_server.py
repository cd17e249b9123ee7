"""Sessions of one box, seen from the host's end of the line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.guest import frames
from sandbox.guest.clock import LEAST_PAUSE_SECONDS
from tests.sandbox.guest.driver import RAW_LINE, Guest, GuestTime

PACKAGE = (
    RAW_LINE
    + """
import os, resource

class Session:
    def reset(self, task, seed):
        self.steps = []
        return {}

    def step(self, message):
        scope = {**globals(), "self": self, "said": []}
        exec(message["content"], scope)
        self.steps.append(message["content"])
        return {"messages": scope["said"], "done": False, "steps": len(self.steps)}
"""
)


@pytest.fixture
def now(tmp_path: Path) -> GuestTime:
    return GuestTime(tmp_path)


@pytest.fixture
def guest(tmp_path: Path, now: GuestTime) -> Iterator[Guest]:
    with Guest(tmp_path, now.lines + PACKAGE, role="environment", call_seconds=2.0, undo_depth=0) as guest:
        yield guest


def steps_of(reply: dict) -> int:
    return reply["value"]["steps"]


def test_sessions_live_side_by_side(guest: Guest) -> None:
    guest.open_session(1)
    guest.open_session(2)
    guest.step(1, "")
    assert steps_of(guest.said(1)) == 1
    guest.step(1, "")
    assert steps_of(guest.said(1)) == 2
    guest.step(2, "open('mine', 'w').close()\nsaid.append(os.listdir('.'))")
    assert guest.said(2)["value"]["messages"] == [["mine"]]


def test_a_branch_has_the_past_of_its_parent_and_a_future_of_its_own(guest: Guest) -> None:
    guest.open_session(1)
    guest.step(1, "open('file', 'w').write('before')")
    guest.said(1)
    guest.send(frames.BRANCH, 1, frames.SESSION_ID.pack(2))
    assert "value" in guest.said(2)
    guest.step(2, "open('file', 'w').write('after')")
    assert steps_of(guest.said(2)) == 2
    guest.step(1, "said.append(open('file').read())")
    assert guest.said(1)["value"]["messages"] == ["before"]


def test_undo_goes_back_to_the_state_before_the_step(tmp_path: Path) -> None:
    with Guest(tmp_path, PACKAGE, role="environment", undo_depth=2) as guest:
        guest.open_session(1)
        for content in ("open('file', 'w').write('one')", "open('file', 'w').write('two')"):
            guest.step(1, content)
            guest.said(1)
        guest.send(frames.SEND, 1, b'{"op":"undo"}')
        assert guest.said(1) == {"value": {"depth": 1}}
        guest.step(1, "said.append(open('file').read())")
        reply = guest.said(1)
        assert (reply["value"]["messages"], steps_of(reply)) == (["one"], 2)


FAILS = "import subprocess\nsaid.append(subprocess.run(['false']).returncode)"


def test_a_session_sees_how_its_subprocesses_ended(tmp_path: Path) -> None:
    with Guest(tmp_path, PACKAGE, role="environment", undo_depth=2) as guest:
        guest.open_session(1)
        for _ in range(2):
            guest.step(1, FAILS)
            assert guest.said(1)["value"]["messages"] == [1]
        guest.send(frames.SEND, 1, b'{"op":"undo"}')
        guest.said(1)
        guest.step(1, FAILS)
        assert guest.said(1)["value"]["messages"] == [1], "a session that was taken back sees it too"
        guest.send(frames.BRANCH, 1, frames.SESSION_ID.pack(2))
        guest.said(2)
        guest.step(2, FAILS)
        assert guest.said(2)["value"]["messages"] == [1]


def test_branches_that_have_ended_leave_no_zombies(tmp_path: Path) -> None:
    with Guest(tmp_path, PACKAGE, role="environment", undo_depth=0) as guest:
        guest.open_session(1)
        for ident in range(2, 6):
            guest.send(frames.BRANCH, 1, frames.SESSION_ID.pack(ident))
            guest.said(ident)
            guest.send(frames.CLOSE, ident)
            guest.ended()
        children = "open(f'/proc/{os.getpid()}/task/{os.getpid()}/children').read().split()"
        guest.step_until(1, f"said.extend({children})", lambda left: left == [])  # a killed process takes a moment


def test_nothing_to_undo_is_said_so(guest: Guest) -> None:
    guest.open_session(1)
    guest.send(frames.SEND, 1, b'{"op":"undo"}')
    assert "no step to undo" in guest.said(1)["error"]["message"]


def test_a_request_that_takes_too_long_ends_its_session_only(guest: Guest, now: GuestTime) -> None:
    guest.open_session(1)
    guest.open_session(2)
    guest.step(1, "import time\nline().send(b'v ')\ntime.sleep(1000)")
    guest.expect(frames.SAID)  # it has begun
    now.advance(2.5)
    assert guest.ended() == (1, frames.TIMED_OUT)
    guest.step(2, "")
    assert steps_of(guest.said(2)) == 1


def test_a_session_that_dies_ends_alone(guest: Guest) -> None:
    guest.open_session(1)
    guest.open_session(2)
    guest.step(1, "os._exit(0)")
    assert guest.ended() == (1, frames.EXITED)
    guest.send(frames.SEND, 1, b"{}")  # the host has not heard yet
    guest.step(2, "")
    assert steps_of(guest.said(2)) == 1


# -- solutions -----------------------------------------------------------------------------------------------------

ASK = "from sandbox.guest import run_solution\nsaid.append(run_solution(code='1').stdout)"


def test_a_solution_takes_nothing_of_its_sessions_time(guest: Guest, now: GuestTime) -> None:
    guest.open_session(1)
    guest.step(1, ASK)
    ident, request = guest.expect(frames.ASK)
    assert (ident, json.loads(request[1:])["code"]) == (1, "1")
    now.advance(30.0)
    guest.open_session(2)  # the guest has looked at its clocks meanwhile
    guest.send(frames.SOLVED, 1, b'{"stdout": "hello"}')
    assert guest.said(1)["value"]["messages"] == ["hello"]


def test_waiting_for_solutions_has_a_total(guest: Guest, now: GuestTime) -> None:
    guest.open_session(1)
    guest.step(1, ASK)
    guest.expect(frames.ASK)
    now.advance(LEAST_PAUSE_SECONDS + 1)
    assert guest.ended() == (1, frames.TIMED_OUT)


def test_requests_without_number_end_by_the_clock(guest: Guest, now: GuestTime) -> None:
    guest.open_session(1)
    guest.step(1, "l = line()\nwhile True:\n    l.send(b'A{}')\n    l.recv(9)")
    asked = 0
    while (frame := guest.read()) is not None and frame[0] == frames.ASK:
        now.advance(LEAST_PAUSE_SECONDS / 8.5)
        guest.send(frames.SOLVED, 1, b"{}")
        asked += 1
    assert frame is not None
    assert (frame[0], frames.OUTCOME.unpack(frame[2])[0]) == (frames.ENDED, frames.TIMED_OUT)
    assert asked <= 10


@pytest.mark.parametrize(("mark", "kind"), [("a", frames.ASK), ("v", frames.SAID)])
def test_a_flood_ends_its_session_and_not_its_siblings(guest: Guest, mark: str, kind: int) -> None:
    guest.open_session(1)
    guest.open_session(2)
    guest.step(1, f"l = line()\nwhile True:\n    l.send(b'{mark}' + b'x' * 60000)")
    flooded = 0
    while (frame := guest.read()) is not None and frame[0] == kind:
        flooded += len(frame[2])
    assert frame is not None
    assert (frame[0], frames.OUTCOME.unpack(frame[2])[0]) == (frames.ENDED, frames.FLOODED)
    assert flooded <= frames.MAX_ASK_BYTES
    guest.step(2, "")
    assert steps_of(guest.said(2)) == 1


# -- branches that lie ---------------------------------------------------------------------------------------------

LIES = """
import gc, socket, sandbox.guest.session_process as module
[own] = [one for one in gc.get_objects() if type(one).__name__ == "SessionProcess"]
def branch(ident):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    socket.send_fds(own._line, [b"B" + {number}], [ours.fileno()])
own._branch = branch
"""


FORGED = """
import gc
[own] = [one for one in gc.get_objects() if type(one).__name__ == "SessionProcess"]
for number in range({count}):
    own._line.send(b'V{"value": %d}' % number)
own._line.recv(1 << 16)
"""


def test_a_second_answer_ends_its_session_and_is_no_answer_to_the_next_request(guest: Guest) -> None:
    guest.open_session(1)
    guest.open_session(2)
    guest.step(1, FORGED.replace("{count}", "2"))
    assert guest.said(1) == {"value": 0}
    assert guest.ended() == (1, frames.BROKEN)
    guest.step(1, "")
    guest.step(2, "")
    assert steps_of(guest.said(2)) == 1, "nobody answers for a session that has ended, and its sibling goes on"


def test_a_branch_that_cannot_be_made_is_told_to_whoever_waits_for_it(guest: Guest) -> None:
    guest.open_session(1)
    code = "own._branch = lambda ident: own._reply({'error': {'kind': 'verifier_failed', 'message': 'no further'}})"
    guest.step(1, f"import gc\n[own] = [o for o in gc.get_objects() if type(o).__name__ == 'SessionProcess']\n{code}")
    guest.said(1)
    guest.send(frames.BRANCH, 1, frames.SESSION_ID.pack(3))
    assert guest.ended() == (3, frames.RETURNED)
    guest.step(1, "")
    assert steps_of(guest.said(1)) == 2


@pytest.mark.parametrize("number", ["b'9' * 5000", "b'9' * 30", "b'-1'", "b'0'", "b'1'", "b''", "b'\\xb2'"])
def test_a_branch_without_a_process_leaves_the_box_in_peace(guest: Guest, number: str) -> None:
    """The host is told at once: one that waited in vain would end the box."""
    guest.open_session(1)
    guest.open_session(2)
    guest.step(1, LIES.replace("{number}", number))
    guest.said(1)
    guest.send(frames.BRANCH, 1, frames.SESSION_ID.pack(3))
    assert guest.ended() == (3, frames.RETURNED)
    guest.step(2, "")
    assert steps_of(guest.said(2)) == 1


@pytest.mark.parametrize("descriptor", ["os.open('.', 0)", "os.pipe()[0]", "os.memfd_create('x')", "0"])
def test_a_branch_whose_connection_is_none_leaves_the_box_in_peace(guest: Guest, descriptor: str) -> None:
    """The zygote ended with the error of its first use, and all sessions with it."""
    guest.open_session(1)
    guest.open_session(2)
    guest.step(1, LIES.replace("{number}", "b'99999'").replace("ours.fileno()", descriptor))
    guest.said(1)
    guest.send(frames.BRANCH, 1, frames.SESSION_ID.pack(3))
    assert guest.ended() == (3, frames.RETURNED)
    guest.step(2, "")
    assert steps_of(guest.said(2)) == 1


def test_a_branch_whose_connection_leads_nowhere_ends_alone(guest: Guest) -> None:
    guest.open_session(1)
    nowhere = "socket.socket(socket.AF_UNIX).detach()"
    guest.step(1, LIES.replace("{number}", "b'99999'").replace("ours.fileno()", nowhere))
    guest.said(1)
    guest.send(frames.BRANCH, 1, frames.SESSION_ID.pack(3))
    assert guest.ended() == (3, frames.EXITED)
    guest.step(1, "")
    assert steps_of(guest.said(1)) == 2


def test_a_branch_under_the_number_of_a_sibling_does_not_end_the_sibling(guest: Guest) -> None:
    """The zygote ends a session by its process group: one that named another's would have that one ended."""
    guest.open_session(1)
    guest.open_session(2)
    guest.step(2, "said.append(os.getpid())")
    [sibling] = guest.said(2)["value"]["messages"]
    guest.step(1, LIES.replace("{number}", f"b'{sibling}'"))
    guest.said(1)
    guest.send(frames.BRANCH, 1, frames.SESSION_ID.pack(3))
    assert guest.ended() == (3, frames.RETURNED)
    guest.send(frames.CLOSE, 3)
    guest.step(2, "")
    assert steps_of(guest.said(2)) == 2


# -- the box they share --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (0, 0))", "the resource limits"),
        ("resource.prlimit(os.getppid(), 10, (7, 7))", "the resource limits"),
        ("os.chmod('../..', 0o500)", "the work folder"),
        ("os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)", "the priority"),
    ],
)
def test_a_box_that_a_session_has_changed_ends_before_anything_more_is_said(
    tmp_path: Path, program: str, words: str
) -> None:
    with Guest(tmp_path, PACKAGE, role="environment", undo_depth=0) as guest:
        guest.open_session(1)
        guest.open_session(2)
        guest.step(1, program)
        assert guest.read() is None
        assert words in guest.last_words()


def test_limits_that_a_session_gives_itself_are_its_own(guest: Guest) -> None:
    guest.open_session(1)
    guest.step(1, "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); os.nice(5); os.umask(0)")
    assert steps_of(guest.said(1)) == 1
    guest.open_session(2)
    guest.step(2, "open('f', 'w').write('x' * 9000)\nsaid.append(os.path.getsize('f'))")
    assert guest.said(2)["value"]["messages"] == [9000]


def test_what_ended_sessions_left_is_wiped(guest: Guest) -> None:
    guest.open_session(1)
    guest.step(1, "open('../left', 'w').close()\nopen('left', 'w').close()")
    guest.said(1)
    guest.send(frames.CLOSE, 1)
    assert guest.ended() == (1, frames.FINISHED)
    guest.open_session(2)
    guest.step(2, "said.append(os.path.exists('../s1/left'))")
    assert guest.said(2)["value"]["messages"] == [False]


SLOW_TO_SLEEP = """
import time
from pathlib import Path
STEPPED, LATE = Path(__file__).with_name("stepped"), Path(__file__).with_name("late")
set_group, home = os.setpgid, os.getpgrp()
def setpgid(pid, group):
    if pid == 0 and group == home:  # a checkpoint that leaves its session's group, when others had the processor
        end = time.process_time() + 0.05  # of its own, however long that takes where others want the processor too
        while time.process_time() < end:
            os.sched_yield()
            if STEPPED.exists():
                LATE.touch()
                break
    set_group(pid, group)
os.setpgid = setpgid
"""


def test_a_step_begins_when_the_state_before_it_is_safe(tmp_path: Path) -> None:
    """Until it has left the session's group, ending the session would end it too, and branches could not go back."""
    with Guest(tmp_path, PACKAGE + SLOW_TO_SLEEP, role="environment", undo_depth=2) as guest:
        guest.open_session(1)
        guest.step(1, "STEPPED.touch()")
        guest.said(1)
        guest.send(frames.SEND, 1, b'{"op":"undo"}')
        assert guest.said(1) == {"value": {"depth": 0}}
        assert not (tmp_path / "late").exists()


REMOVED_BY_TWO = """
import re, time
from pathlib import Path
LISTED = Path(__file__).with_name("listed")
zygote, list_names, patience = os.getpid(), os.listdir, time.monotonic() + 60

def listdir(path="."):
    if isinstance(path, int) and os.getpid() != zygote:  # a checkpoint removes its snapshot: not before the zygote has seen it
        while not LISTED.exists() and time.monotonic() < patience:
            os.sched_yield()
    names = list_names(path)
    snapshots = [name for name in names if isinstance(path, int) and re.fullmatch(r"s2[.][0-9]+", name)]
    if snapshots and os.getpid() == zygote:
        LISTED.touch()
        while any(name in snapshots for name in list_names(path)) and time.monotonic() < patience:
            os.sched_yield()
    return names

os.listdir = listdir
"""
NOT_AT_FIRST = """
zygote, remove_folder, tries = os.getpid(), os.rmdir, []

def rmdir(name, *, dir_fd=None):
    path = name if dir_fd is None else os.readlink(f"/proc/self/fd/{dir_fd}") + "/" + name
    if os.getpid() == zygote and path not in tries:
        tries.append(path)
        raise OSError(39, "a process that is slow to die has made a file")
    remove_folder(name, dir_fd=dir_fd)

os.rmdir = rmdir
"""


@pytest.mark.parametrize(
    "code",
    ["", REMOVED_BY_TWO, NOT_AT_FIRST],
    ids=["as it comes", "a checkpoint removes its part meanwhile", "not at the first try"],
)
def test_folders_of_a_family_go_one_by_one_and_at_last_together(tmp_path: Path, code: str) -> None:
    with Guest(tmp_path, PACKAGE + code, role="environment", undo_depth=1) as guest:
        guest.open_session(1)
        guest.open_session(9)
        guest.step(1, "open('file', 'w').close()\nos.chmod('..', 0o500)\nos.chmod('..', 0o700)")
        guest.said(1)
        guest.send(frames.BRANCH, 1, frames.SESSION_ID.pack(2))
        guest.said(2)
        look = "said.extend(sorted(p for p, _, f in os.walk('../..') if f))"
        guest.send(frames.CLOSE, 1)
        assert guest.ended()[0] == 1
        guest.step(2, look)
        assert "../../s1/s2" in guest.said(2)["value"]["messages"]
        guest.step(2, "os.chmod('.', 0)\nos.chmod('..', 0)")
        guest.said(2)
        guest.send(frames.CLOSE, 2)
        assert guest.ended()[0] == 2
        guest.step_until(9, "said.extend(os.listdir('../..'))", lambda left: left == ["s9"])

"""A session's own process, from the zygote's end of its line: whatever a step does, the answer is JSON and counts once."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox.guest import call_loop
from sandbox.guest.call import Package
from sandbox.guest.frames import MAX_REPLY_BYTES
from sandbox.guest.messages import ASK, BRANCHED, PART_OF_REQUEST, PART_OF_SOLVED, REQUEST, SAY, SOLVED
from sandbox.guest.session_process import SessionProcess, folder_of
from tests.sandbox.guest.forked import Served


class Episode:
    """Runs what a message says: the worst author there can be."""

    def reset(self, task: dict[str, Any], seed: int) -> dict[str, Any]:
        self.steps = 0
        if "raises" in task:
            raise ValueError(task["raises"])
        return {"seed": seed}

    def step(self, message: dict[str, Any]) -> Any:
        scope: dict[str, Any] = {"os": os, "self": self, "messages": []}
        exec(message["content"], scope)
        self.steps += 1
        return scope.get("value", {"messages": scope["messages"], "done": False, "steps": self.steps})


def add(a: int, b: int) -> int:
    return a + b


class Session(Served):
    def __init__(self, folder: Path, **config: Any) -> None:
        package = Package({"rewards": {"correct": (0.0, 1.0)}})
        package._session_class = Episode
        package._tools = {"add": add}
        work = folder_of(folder_of(str(folder), 1), 1)
        Path(work).mkdir(parents=True)
        home = os.getpgrp()
        settings = {"undo_depth": 0, "rewards": {"correct": [0.0, 1.0]}, **config}
        super().__init__(lambda line: SessionProcess(package, line, work, settings, home).serve())

    def ask(self, request: dict[str, Any]) -> Any:
        self.send(request)
        return self.said()

    def send(self, request: dict[str, Any]) -> None:
        call_loop.send_parts(self.sock, json.dumps(request).encode(), PART_OF_REQUEST, REQUEST)

    def said(self) -> Any:
        reply = call_loop.receive_parts(self.sock, SAY)
        assert reply is not None, f"it ended with {self.wait()}"
        assert len(reply) <= MAX_REPLY_BYTES
        return json.loads(reply, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))

    def step(self, content: str) -> Any:
        return self.ask({"op": "step", "message": {"content": content}})


@contextmanager
def opened(folder: Path, **config: Any) -> Iterator[Session]:
    with Session(folder, **config) as session:
        assert session.ask({"op": "reset", "task": {}, "seed": 7}) == {"value": {"seed": 7}}
        yield session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with opened(tmp_path) as session:
        yield session


def _depth(levels: int) -> str:
    return f"x = 1\nfor _ in range({levels}): x = [x]\nmessages.append(x)"


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        ("messages.append(float('nan'))", "verifier_failed", "not JSON"),
        ("messages.append(1e999)", "verifier_failed", "not JSON"),
        ("messages.append(chr(0xD800))", "verifier_failed", "not JSON"),
        ("messages.append({1j: 2})", "verifier_failed", "not JSON"),
        ("messages.append(object())", "verifier_failed", "not JSON"),
        ("messages.append(messages)", "verifier_failed", "not JSON"),
        (_depth(2_000), "verifier_failed", "not JSON"),
        ("class D(dict):\n    def items(self): raise KeyError(chr(0xD800))\nmessages.append(D(a=1))", "verifier_failed", ""),
        ("class D(dict):\n    def items(self): raise MemoryError\nmessages.append(D(a=1))", "memory", "memory"),
        ("messages.append('x' * (2 << 20))", "output", "bytes"),
        ("value = None", "verifier_failed", "must return"),
        ("value = {'messages': 'x', 'done': True}", "verifier_failed", "must return"),
        ("value = {'messages': []}", "verifier_failed", "must return"),
        ("value = {'messages': [], 'done': True, 'rewards': {'correct': float('nan')}}", "verifier_failed", "nan"),
        ("value = {'messages': [], 'done': True, 'rewards': {'correct': 2.0}}", "verifier_failed", "range"),
        ("value = {'messages': [], 'done': True, 'rewards': {}}", "verifier_failed", "step(), as its rewards, did not return correct"),
        ("raise ValueError('x' * (2 << 20))", "verifier_failed", "ValueError"),
        ("raise ValueError(chr(0xD800))", "verifier_failed", ""),
        ("raise SystemExit(type('S', (), {'__repr__': lambda s: 1 / 0})())", "verifier_failed", "SystemExit"),
        ("raise KeyboardInterrupt", "verifier_failed", "KeyboardInterrupt"),
        ("raise MemoryError", "memory", "memory"),
        ("def f(): f()\nf()", "verifier_failed", "RecursionError"),
    ],
)  # fmt: skip
def test_a_step_that_goes_wrong_is_told_and_the_session_goes_on(
    session: Session, content: str, kind: str, words: str
) -> None:
    error = session.step(content)["error"]
    assert error["kind"] == kind
    assert words in error["message"]
    assert len(error["message"]) < 6000
    assert "value" in session.step("")


def test_rewards_of_a_step_are_plain_floats(session: Session) -> None:
    reply = session.step("value = {'messages': [], 'done': True, 'rewards': {'correct': 1}}")
    assert json.dumps(reply["value"]["rewards"]) == '{"correct": 1.0}'


def test_no_step_comes_before_the_reset(tmp_path: Path) -> None:
    with Session(tmp_path, undo_depth=2) as session:
        for operation in ("step", "state"):
            assert "reset() comes first" in session.ask({"op": operation})["error"]["message"]
        refused = session.ask({"op": "reset", "task": {"raises": "no digits"}, "seed": 0})
        assert "no digits" in refused["error"]["message"]


def test_a_session_without_state_has_an_empty_one(session: Session) -> None:
    assert session.ask({"op": "state"}) == {"value": {}}


def test_tools_are_called_with_what_their_hints_ask_for(session: Session) -> None:
    assert session.ask({"op": "tool", "name": "add", "arguments": {"a": 1, "b": 2.0}}) == {"value": 3}
    error = session.ask({"op": "tool", "name": "add", "arguments": {"a": "1"}})["error"]
    assert error["kind"] == "verifier_failed"
    assert "b is missing" in error["message"]
    assert [tool["function"]["name"] for tool in session.ask({"op": "tools"})["value"]] == ["add"]


def test_a_session_ends_with_its_line(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        session.sock.shutdown(socket.SHUT_RDWR)
        assert session.wait() == 0


def test_it_works_in_its_own_folder_and_so_do_temporary_files(session: Session, tmp_path: Path) -> None:
    reply = session.step("import tempfile\nmessages += [os.getcwd(), tempfile.gettempdir(), os.environ['TMPDIR']]")
    assert reply["value"]["messages"] == [f"{tmp_path}/s1/s1"] * 3


# -- solutions -------------------------------------------------------------------------------------------------------

SOLVE = "from sandbox.guest import run_solution\ntry:\n    run_solution(code='1')\nexcept Exception:\n    value = 0"


@pytest.mark.parametrize("kind", ["host", "output"])
def test_a_solution_that_cannot_be_judged_is_an_error_of_that_kind(session: Session, kind: str) -> None:
    session.send({"op": "step", "message": {"content": SOLVE}})
    assert session.sock.recv(1 << 16)[0] == ASK
    answer = json.dumps({f"{kind}_fault": "a busy machine"}).encode()
    call_loop.send_parts(session.sock, answer, PART_OF_SOLVED, SOLVED)
    assert session.said() == {"error": {"kind": kind, "message": "a busy machine"}}


# -- the states before a step ----------------------------------------------------------------------------------------

NO_FORK = "def refuse(*_): raise BlockingIOError(11, 'as many processes as there may be')\nself.fork, os.fork = os.fork, refuse"
NO_ROOM = (
    "import shutil\ndef refuse(*_, **__): raise OSError(28, 'No space left on device')\n"
    "self.copytree, shutil.copytree = shutil.copytree, refuse\nopen('file', 'w').close()"
)


@pytest.mark.parametrize(("content", "words"), [(NO_FORK, "as many processes"), (NO_ROOM, "No space left")])
def test_a_state_that_cannot_be_kept_costs_a_step_and_not_the_session(tmp_path: Path, content: str, words: str) -> None:
    with opened(tmp_path, undo_depth=2) as session:
        assert session.step(content)["value"]["steps"] == 1
        error = session.step("")["error"]
        assert (error["kind"], words in error["message"]) == ("verifier_failed", True)
        assert session.ask({"op": "state"}) == {"value": {}}, "it lives"
        assert [path.name for path in (tmp_path / "s1").iterdir() if "." in path.name] == []
        assert session.ask({"op": "undo"}) == {"value": {"depth": 0}}, "what was kept before is there"
        assert session.step("")["value"]["steps"] == 1


def test_a_file_that_cannot_be_copied_is_named(tmp_path: Path) -> None:
    with opened(tmp_path, undo_depth=1) as session:
        session.step("os.mkfifo('pipe')")
        assert "pipe" in session.step("")["error"]["message"]
        assert not list((tmp_path / "s1").glob("s1.*"))


def test_a_step_that_fails_is_no_step_to_undo(tmp_path: Path) -> None:
    with opened(tmp_path, undo_depth=2) as session:
        session.step("")
        session.step("raise ValueError")
        assert session.ask({"op": "undo"}) == {"value": {"depth": 0}}
        assert "no step to undo" in session.ask({"op": "undo"})["error"]["message"]


def test_only_so_many_steps_are_taken_back(tmp_path: Path) -> None:
    with opened(tmp_path, undo_depth=2) as session:
        for _ in range(4):
            session.step("")
        depths = [session.ask({"op": "undo"})["value"]["depth"] for _ in range(2)]
        assert depths == [1, 0]
        assert "no step to undo" in session.ask({"op": "undo"})["error"]["message"]
        assert session.step("")["value"]["steps"] == 3


def test_a_checkpoint_that_the_author_killed_is_said_so(tmp_path: Path) -> None:
    with opened(tmp_path, undo_depth=1) as session:
        session.step("")
        session.step("import signal\nos.kill(os.getppid(), signal.SIGKILL)")
        error = session.ask({"op": "undo"})["error"]
        assert "could not be undone" in error["message"]
        assert "value" in session.step("")


# -- branches --------------------------------------------------------------------------------------------------------


def test_a_branch_comes_with_its_line_and_the_number_of_its_process(session: Session) -> None:
    session.step("open('file', 'w').write('before')")
    session.send({"op": "branch", "ident": 2})
    message, [descriptor], _, _ = socket.recv_fds(session.sock, 1 << 16, 4)
    assert message[0] == BRANCHED
    parent = session.sock
    with socket.socket(fileno=descriptor) as session.sock:
        assert session.said() == {"value": {"depth": 0}}
        reply = session.step("messages += [os.getpid(), os.getpgrp(), os.getcwd()[-5:], open('file').read()]")
        assert reply["value"]["messages"] == [int(message[1:]), int(message[1:]), "s1/s2", "before"]
        session.step("open('file', 'w').write('after')")
    session.sock = parent
    assert session.step("messages.append(open('file').read())")["value"]["messages"] == ["before"]


def test_a_branch_that_cannot_be_made_is_an_answer(session: Session) -> None:
    session.step(NO_FORK)
    error = session.ask({"op": "branch", "ident": 2})["error"]
    assert "no further branch" in error["message"]
    assert session.step("")["value"]["steps"] == 2

import time
from pathlib import Path

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.errors import SessionClosedError, TimeLimitError, VerifierFailedError
from sandbox.interface import Source
from sandbox.samples import TASK, Sample

COUNTER = Sample(
    """
    import os, random, time
    from sandbox.guest import run_solution

    LARGE = bytearray(b"x") * (50 << 20)

    class Session:
        def reset(self, task, seed):
            self.values = [seed]
            return {"messages": [{"role": "user", "content": "go"}], "tools": []}

        def step(self, message):
            text = message["content"]
            if text == "hang":
                time.sleep(60)
            elif text == "die":
                os._exit(3)
            elif text == "raise":
                raise ValueError("on purpose")
            elif text == "random":
                self.values.append(random.random())
            elif text == "solve":
                self.values.append(run_solution(code="def f():\\n    return 7\\n", entry="f").result)
            elif text == "judge":
                return {"messages": [], "done": True, "rewards": {"correct": 2.0}}
            elif text == "nothing":
                return None
            else:
                self.values.append(int(text))
                with open("log", "a") as file:
                    file.write(text)
            return {"messages": [{"role": "user", "content": str(self.values[-1])}], "done": False}

        def state(self):
            return {"values": self.values, "log": open("log").read() if os.path.exists("log") else ""}

    def verify(task, state):
        return {"correct": 1.0}
    """,
    name="counter",
    kind="environment",
    timeout_seconds=2.0,
    head='verifier = "PACKAGE:verify"\nsession = "PACKAGE:Session"\ntasks = { train = "tasks.jsonl" }',
    files={"tasks.jsonl": '{"id": "t1", "prompt": "q"}\n'},
)


def say(text: object) -> dict[str, str]:
    return {"role": "assistant", "content": str(text)}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return COUNTER.source(tmp_path)


def test_undo_goes_back_step_by_step_and_can_go_on_elsewhere(any_sandbox: BlockingSandbox, source: Source) -> None:
    with any_sandbox.session(source, TASK, seed=1) as session:
        session.reset()
        for number in (2, 3, 4):
            session.step(say(number))
        session.undo()
        session.undo()
        assert session.state() == {"values": [1, 2], "log": "2"}
        session.step(say(9))
        assert session.state() == {"values": [1, 2, 9], "log": "29"}
        session.undo()
        session.undo()
        assert session.state() == {"values": [1], "log": ""}
        with pytest.raises(VerifierFailedError, match="no step to undo"):
            session.undo()


def test_only_the_latest_steps_can_be_undone(any_sandbox: BlockingSandbox, source: Source) -> None:
    depth = any_sandbox.inner.settings.session_undo_depth
    with any_sandbox.session(source, TASK) as session:
        session.reset()
        for number in range(depth + 5):
            session.step(say(number))
        for _ in range(depth):
            session.undo()
        assert len(session.state()["values"]) == 1 + 5
        with pytest.raises(VerifierFailedError, match="no step to undo"):
            session.undo()


def test_branches_share_the_past_and_nothing_else(any_sandbox: BlockingSandbox, source: Source) -> None:
    with any_sandbox.session(source, TASK) as session:
        session.reset()
        session.step(say(1))
        branches = [session.branch() for _ in range(3)]
        for number, branch in enumerate(branches):
            branch.step(say(10 + number))
        assert [branch.state()["values"] for branch in branches] == [[0, 1, 10], [0, 1, 11], [0, 1, 12]]
        assert session.state() == {"values": [0, 1], "log": "1"}
        branches[0].undo()
        branches[0].undo()
        assert branches[0].state() == {"values": [0], "log": ""}
        assert session.state()["values"] == [0, 1]
        for branch in branches:
            branch.close()


def test_a_step_that_raises_changes_no_history(any_sandbox: BlockingSandbox, source: Source) -> None:
    with any_sandbox.session(source, TASK) as session:
        session.reset()
        session.step(say(1))
        for text, words in (
            ("raise", "on purpose"),
            ("nothing", "must return"),
            ("judge", "outside its declared range"),
        ):
            with pytest.raises(VerifierFailedError, match=words):
                session.step(say(text))
        session.undo()
        assert session.state()["values"] == [0]


def test_a_session_that_dies_or_hangs_says_so_and_its_sibling_lives(
    any_sandbox: BlockingSandbox, source: Source
) -> None:
    with any_sandbox.session(source, TASK) as session:
        session.reset()
        hanging, dying = session.branch(), session.branch()
        with pytest.raises(SessionClosedError, match="died"):
            dying.step(say("die"))
        started = time.monotonic()
        with pytest.raises(TimeLimitError, match="2 s"):
            hanging.step(say("hang"))
        assert time.monotonic() - started < 4
        for ended in (hanging, dying):
            with pytest.raises(SessionClosedError, match="open another"):
                ended.state()
        session.step(say(5))
        assert session.state()["values"] == [0, 5]


def test_a_session_may_ask_for_solutions(any_sandbox: BlockingSandbox, source: Source) -> None:
    with any_sandbox.session(source, TASK) as session:
        session.reset()
        session.step(say("solve"))
        assert session.state()["values"] == [0, 7]


def test_replay_tells_a_deterministic_session_from_one_that_is_not(
    any_sandbox: BlockingSandbox, source: Source
) -> None:
    house = any_sandbox.inner.sessions
    with any_sandbox.session(source, TASK, seed=4) as session:
        session.reset()
        session.step(say(1))
        assert any_sandbox.run(house.replay(source, session.inner)).is_equal
        session.step(say("random"))
        assert any_sandbox.run(house.replay(source, session.inner)).first_difference == 1


@pytest.mark.docker
def test_branch_and_undo_of_fifty_megabytes_take_milliseconds(docker_sandbox: BlockingSandbox, source: Source) -> None:
    def milliseconds(work: object) -> float:
        started = time.perf_counter()
        work()  # type: ignore[operator]
        return (time.perf_counter() - started) * 1000

    with docker_sandbox.session(source, TASK) as session:
        session.reset()
        session.step(say(1))
        branches = []
        times = sorted(milliseconds(lambda: branches.append(session.branch())) for _ in range(5))
        for number in range(5):
            session.step(say(number))
        undone = sorted(milliseconds(session.undo) for _ in range(5))
        for branch in branches:
            branch.close()
    # 3 to 11 ms where nothing else runs. The bound is below what another box would take, even on a busy machine.
    assert times[0] < 250, times
    assert undone[0] < 250, undone

import asyncio
import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends import make_backend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import SessionClosedError, TimeLimitError, VerifierFailedError
from sandbox.interface import Source
from sandbox.sessions.sessions import AT_RESET, Session, SessionReplay, replay_in
from sandbox.settings import SandboxSettings

COUNTER = Sample(
    """
    import os, random, time
    from sandbox.guest import run_solution

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
            elif text == "write":
                with open("large", "wb") as file:
                    file.write(bytes(4 << 20))
                self.values.append(0)
            elif text == "nap":
                time.sleep(0.3)
                self.values.append(0)
            elif text == "deaf":
                import gc
                [own] = [one for one in gc.get_objects() if type(one).__name__ == "SessionProcess"]
                own._reply({"value": {"messages": [], "done": False}})
                time.sleep(60)
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
    timeout_seconds=30.0,
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
    any_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    source = replace(COUNTER, timeout_seconds=5.0, name="brief").source(tmp_path)
    with any_sandbox.session(source, TASK) as session:
        session.reset()
        hanging, dying = session.branch(), session.branch()
        with pytest.raises(SessionClosedError, match="died"):
            dying.step(say("die"))
        with pytest.raises(TimeLimitError, match="5 s"):
            hanging.step(say("hang"))
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


class Answers:
    """A session's place that answers by rote: ``opening`` to reset(), then the step's number."""

    def __init__(self, opening: str) -> None:
        self.opening = opening
        self.closed: list[int] = []
        self.steps = count(1)

    def new_ident(self) -> int:
        return 2

    async def ask(self, ident: int, kind: int, payload: bytes) -> dict[str, Any]:
        is_reset = json.loads(payload)["op"] == "reset"
        return {"messages": [{"role": "user", "content": self.opening if is_reset else str(next(self.steps))}]}

    async def branch(self, ident: int, new: int) -> None: ...

    async def close(self, ident: int) -> None:
        self.closed.append(ident)


@pytest.mark.parametrize(("opening", "difference"), [("go", None), ("go on", AT_RESET)])
@pytest.mark.parametrize("of_a_branch", [False, True], ids=["itself", "its branch"])
def test_an_episode_that_begins_otherwise_is_another(
    source: Source, opening: str, difference: int | None, *, of_a_branch: bool
) -> None:
    async def replay() -> SessionReplay:
        session = Session(Answers("go"), 1, source, TASK, 0)
        await session.reset()
        await session.step(say("x"))
        there = Answers(opening)
        found = await replay_in(Session(there, 9, source, TASK, 0), await session.branch() if of_a_branch else session)
        assert there.closed == [9]
        return found

    found = asyncio.run(replay())
    assert found.first_difference == difference
    assert found.is_equal is (difference is None)


def test_a_branch_goes_back_to_what_it_shares_after_the_other_is_closed(
    any_sandbox: BlockingSandbox, source: Source
) -> None:
    with any_sandbox.session(source, TASK) as session:
        session.reset()
        for number in (1, 2, 3):
            session.step(say(number))
        branch = session.branch()
        session.close()
        for left in ([0, 1, 2], [0, 1], [0]):
            branch.undo()
            assert branch.state()["values"] == left
        branch.close()


def test_a_branch_keeps_its_own_depth_of_undo_whatever_the_other_does(
    any_sandbox: BlockingSandbox, source: Source
) -> None:
    depth = any_sandbox.inner.settings.session_undo_depth
    with any_sandbox.session(source, TASK) as session:
        session.reset()
        for number in range(depth):
            session.step(say(number))
        branch = session.branch()
        for number in range(depth):
            session.step(say(100 + number))
        for _ in range(depth):
            branch.undo()
        assert branch.state()["values"] == [0]
        branch.close()
        for _ in range(depth):
            session.undo()
        assert session.state()["values"] == [0, *range(depth)]


def test_hundreds_of_steps_can_be_taken_and_taken_back(any_sandbox: BlockingSandbox, source: Source) -> None:
    with any_sandbox.session(source, TASK) as session:
        session.reset()
        for number in range(300):
            session.step(say(number))
            session.undo()
        assert session.state() == {"values": [0], "log": ""}


def test_what_ended_sessions_wrote_is_gone_while_their_sibling_lives(
    any_sandbox: BlockingSandbox, source: Source
) -> None:
    with any_sandbox.session(source, TASK) as sibling:
        sibling.reset()
        for _ in range(24):  # together more than a box's folder may hold
            with any_sandbox.session(source, TASK) as session:
                session.reset()
                session.step(say("write"))
        sibling.step(say(1))
        assert sibling.state() == {"values": [0, 1], "log": "1"}


def test_a_session_that_reads_nothing_holds_up_no_sibling(any_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    source = replace(COUNTER, timeout_seconds=60.0, name="patient").source(tmp_path)
    with any_sandbox.session(source, TASK) as deaf, any_sandbox.session(source, TASK) as sibling:
        deaf.reset()
        sibling.reset()
        deaf.step(say("deaf"))
        asking = asyncio.run_coroutine_threadsafe(deaf.inner.step(say("1" * (1 << 20))), any_sandbox._loop)
        sibling.step(say(5))
        assert not asking.done()
        deaf.close()
        with pytest.raises(SessionClosedError, match="closed"):
            asking.result()
        assert sibling.state()["values"] == [0, 5]


def test_a_box_that_is_lost_before_the_session_has_begun_costs_nothing(
    any_sandbox: BlockingSandbox, source: Source
) -> None:
    with any_sandbox.session(source, TASK, seed=3) as session:
        any_sandbox.run(session.inner._host.box.kill("on purpose"))
        session.reset()
        assert session.state()["values"] == [3]
        any_sandbox.run(session.inner._host.box.kill("on purpose"))
        with pytest.raises(SessionClosedError, match="open another"):
            session.state()


def test_sessions_that_all_step_at_once_wait_for_their_turn_with_their_clocks_stopped(tmp_path: Path) -> None:
    source = replace(COUNTER, timeout_seconds=5.0, name="waiting").source(tmp_path)
    knobs = SandboxSettings(trust_local_code=True, session_requests=1, sessions_per_box=8)
    with BlockingSandbox(make_backend("local", knobs), knobs) as sandbox:

        async def step_all() -> None:
            house = sandbox.inner.sessions
            sessions = await asyncio.gather(*(house.open(source, TASK) for _ in range(20)))
            assert len({session._host for session in sessions}) == 3
            await asyncio.gather(*(session.reset() for session in sessions))
            await asyncio.gather(*(session.step(say("nap")) for session in sessions))  # 6 s, and a step may take 5
            await asyncio.gather(*(session.close() for session in sessions))

        sandbox.run(step_all())


class AnswersLater(Answers):
    """Other work of the loop comes in between, as it does while a box answers."""

    async def ask(self, ident: int, kind: int, payload: bytes) -> dict[str, Any]:
        await asyncio.sleep(0)
        return await super().ask(ident, kind, payload)


def test_a_branch_asked_for_during_a_step_knows_that_step(source: Source) -> None:
    """Its process has the step, since requests go one after the other: without it a replay would find a difference."""

    async def branched() -> list[dict[str, Any]]:
        session = Session(AnswersLater("go"), 1, source, TASK, 0)
        await session.reset()
        _, other = await asyncio.gather(session.step(say("x")), session.branch())
        return [message for message, _ in other.history]

    assert asyncio.run(branched()) == [say("x")]

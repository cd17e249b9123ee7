"""An episode played by replaying it: judged when it is over or asked for, whatever shape the package's code answers in."""

from contextlib import contextmanager
from typing import Any

import pytest

from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError
from hub_server.execution.actions.episode import MOST_TURNS, find_episode_target, play
from hub_server.execution.errors import NothingToExecuteError
from schemas.verdict import Verdict
from tests.hub_server.execution.played import BOB, SUMS, narrow
from tests.making.action_driver import ActionDriver

TASK = {"id": "t1", "prompt": "1+1?", "answer": 2}


class Scripted:
    """A session that answers with what a test hands in."""

    def __init__(self, opened: Any, answers: list[Any]) -> None:
        self.opened, self.answers, self.said = opened, answers, []

    def reset(self) -> Any:
        return self.opened

    def step(self, message: dict[str, Any]) -> Any:
        self.said.append(message["content"])
        return self.answers[len(self.said) - 1]

    def state(self) -> dict[str, Any]:
        return {"said": self.said}


def play_scripted(driver: ActionDriver, opened: Any, answers: list[Any], said: list[str], *, judge: bool = False):
    target = driver.ask(BOB, find_episode_target, SUMS, "1.0.0")

    @contextmanager
    def session(*_rest: Any, **_more: Any):
        yield Scripted(opened, answers)

    driver.executor.session = session
    return play(driver.services, target, TASK, said, judge=judge)


@pytest.mark.parametrize(("by", "error"), [(None, NotAuthenticatedError), (narrow("bob"), NotAllowedError)])
def test_an_episode_holds_a_box_so_it_needs_an_account(playable: ActionDriver, by, error) -> None:
    with pytest.raises(error):
        playable.ask(by, find_episode_target, SUMS, "1.0.0")


def test_what_has_no_session_cannot_be_played(playable: ActionDriver) -> None:
    with pytest.raises(NothingToExecuteError, match="no session"):
        playable.ask(BOB, find_episode_target, "alice/borrows", "latest")


def test_an_episode_is_judged_when_it_is_over_and_not_before(playable: ActionDriver) -> None:
    target = playable.ask(BOB, find_episode_target, SUMS, "1.0.0")
    asked: list[Any] = []

    def judged(_version: str, task: dict[str, Any], response: str | None) -> Verdict:
        asked.append(task["id"])
        return Verdict(rewards={"correct": 1.0})

    playable.executor.judge_call = judged
    two = play(playable.services, target, TASK, ["a", "b"])
    assert (two.is_over, two.verdict, asked) == (False, None, [])
    three = play(playable.services, target, TASK, ["a", "b", "c"])
    assert (three.is_over, three.verdict, asked) == (True, Verdict(rewards={"correct": 1.0}), ["t1"])
    early = play(playable.services, target, TASK, [], judge=True)
    assert (early.is_over, early.verdict is not None) == (False, True)


def test_what_is_said_after_the_end_is_not_played(playable: ActionDriver) -> None:
    found = play_scripted(playable, {"messages": []}, [{"done": True}, {"done": False}], ["last", "too late"])
    assert [one["content"] for one in found.messages] == ["last"]
    assert found.is_over


def test_the_conversation_is_what_both_sides_said_in_order(playable: ActionDriver) -> None:
    opened = {"messages": [{"role": "user", "content": "1+1?"}], "tools": [{"function": {"name": "add"}}]}
    answers = [{"messages": [{"role": "user", "content": "sure?"}], "done": False}, {"done": False}]
    found = play_scripted(playable, opened, answers, ["2", "yes"])
    assert [(one["role"], one["content"]) for one in found.messages] == [
        ("user", "1+1?"), ("assistant", "2"), ("user", "sure?"), ("assistant", "yes"),
    ]  # fmt: skip
    assert found.tools == ["add"]


@pytest.mark.parametrize("messages", ["hello", 7, {"role": "user"}, ["hello"], [None], [["x"]], True])
def test_a_package_that_answers_with_no_conversation_is_told_so_and_is_no_fault_of_the_hub(
    playable: ActionDriver, messages
) -> None:
    with pytest.raises(InvalidRequestError, match=r"reset\(\) must return"):
        play_scripted(playable, {"messages": messages}, [], [])
    with pytest.raises(InvalidRequestError, match=r"step\(\) must return"):
        play_scripted(playable, {}, [{"messages": messages}], ["x"])


@pytest.mark.parametrize(
    ("tools", "names"),
    [(None, []), ("add", []), (7, []), ({}, []), ([{}], ["a tool"]), ([{"function": None}], ["a tool"]), (["add"], ["a tool"]),
     ([{"function": {"name": 7}}], ["7"]), ([None], ["a tool"])],
)  # fmt: skip
def test_tools_of_any_shape_are_named_as_far_as_they_have_names(
    playable: ActionDriver, tools, names: list[str]
) -> None:
    assert play_scripted(playable, {"tools": tools}, [], []).tools == names


def test_an_episode_has_an_end(playable: ActionDriver) -> None:
    answers = [{"done": False}] * MOST_TURNS
    assert len(play_scripted(playable, {}, answers, ["x"] * MOST_TURNS).messages) == MOST_TURNS
    with pytest.raises(InvalidRequestError, match=str(MOST_TURNS)):
        play_scripted(playable, {}, answers, ["x"] * (MOST_TURNS + 1))

"""Environments of ``verifiers`` with several turns: their own code answers, and a verdict plays the moves again."""

import random

import pytest

from hub_client.imports.draft import ImportRefusedError

GUESS = """
import random

import verifiers as vf
from datasets import Dataset


class Guess(vf.MultiTurnEnv):
    async def setup_state(self, state, **kwargs):
        state["secret"] = random.randint(1, 9)
        state["near"] = 0
        return state

    @vf.stop
    async def found(self, state) -> bool:
        return state.get("found", False)

    async def env_response(self, messages, state, **kwargs) -> vf.Messages:
        said = messages[-1]["content"]
        if said == str(state["secret"]):
            state["found"] = True
            state["final_env_response"] = [{"role": "user", "content": "Right."}]
            return []
        state["near"] += random.random()
        return [{"role": "user", "content": f"No, not {said}. Luck {state['near']}"}]

    @vf.cleanup
    async def sum_up(self, state):
        state["luck"] = state["near"]


def won(state, **kwargs) -> float:
    return float(state.get("found", False))


def luck(state) -> float:
    return state["luck"]


def load_environment(turns: int = 4, **kwargs):
    rows = Dataset.from_list([{"question": f"Game {n}: a number from 1 to 9?", "answer": "5"} for n in range(30)])
    rubric = vf.Rubric(funcs=[won], weights=[1.0])
    rubric.add_metric(luck)
    return Guess(dataset=rows, rubric=rubric, max_turns=turns)
"""
OLD = """
import verifiers as vf
from datasets import Dataset


class Count(vf.MultiTurnEnv):
    async def is_completed(self, messages, state, **kwargs) -> bool:
        return state["turn"] >= 2 or await self.max_turns_reached(state)

    async def env_response(self, messages, state, **kwargs):
        state["heard"] = state.get("heard", 0) + 1
        return [{"role": "user", "content": f"Turn {state['turn']}"}], state


def spoken(completion, state, answer, **kwargs) -> float:
    return float(completion[-1]["content"] == answer and state["heard"] == 1)


def load_environment(**kwargs):
    rows = Dataset.from_list([{"question": f"Say {n} twice", "answer": str(n)} for n in range(30)])
    return Count(dataset=rows, rubric=vf.Rubric(funcs=[spoken]))
"""
TOOLS = """
from typing import Literal

import verifiers as vf
from datasets import Dataset


def add(left: int, right: int = 1, *, kind: "Literal['a', 'b'] | None" = None) -> int:
    \"\"\"Adds two numbers.

    Args:
        left: the first
        right (int): the second
    \"\"\"
    return left + right


def load_environment(**kwargs):
    rows = Dataset.from_list([{"question": f"{n} + 7?", "answer": str(n + 7)} for n in range(30)])

    def right(completion, answer, **kwargs) -> float:
        return float(completion[-1]["content"] == answer)

    return vf.ToolEnv(dataset=rows, tools=[add], rubric=vf.Rubric(funcs=[right]), max_turns=4)
"""
STATEFUL = TOOLS.replace("return vf.ToolEnv(dataset=rows, tools=[add],", "return Mine(dataset=rows,").replace(
    "def load_environment",
    """class Mine(vf.StatefulToolEnv):
    def __init__(self, **kwargs):
        super().__init__(tools=[], **kwargs)
        self.add_tool(add, args_to_skip=["right"])

    def update_tool_args(self, tool_name, tool_args, messages, state, **kwargs):
        return {**tool_args, "right": 7}


def load_environment""",
)


def call(**arguments) -> dict:
    function = {"name": "add", "arguments": str(arguments).replace("'", '"')}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}


@pytest.fixture
def play(complete):
    """Plays messages in the draft's own session: the draft, the verdict and what the environment said."""

    def run(code: str, *messages, index: int = 0):
        draft, names = complete(code)
        task = names["generate"]("test", 0, index)
        session = names["Session"]()
        begun = session.reset(task, 0)
        heard = [session.step(message if isinstance(message, dict) else {"content": message}) for message in messages]
        return draft, names["verify"](task, session.state()), [begun, *heard]

    return run


def test_a_conversation_is_a_session_and_its_moves_are_played_again(play) -> None:
    draft, verdict, heard = play(GUESS, "0", "10", "11")
    assert (draft.session, draft.tags) == (True, ["multi-turn"])
    assert heard[1]["messages"][0]["content"].startswith("No, not 0.")
    assert not heard[3]["done"]
    luck = float(heard[3]["messages"][0]["content"].rpartition(" ")[2])
    assert verdict == {"won": 0.0, "luck": pytest.approx(luck), "num_turns": 3.0}, "the same random numbers again"


def test_the_last_answer_of_the_environment_ends_it_and_what_follows_does_not_count(play) -> None:
    _, verdict, heard = play(GUESS, *map(str, range(1, 5)))
    last = next((each for each in heard[1:] if each["done"]), None)
    assert last
    _, again, _ = play(GUESS, *map(str, range(1, 5)), "1", "2")
    assert again == verdict
    assert verdict["num_turns"] <= 4


def test_the_limit_of_turns_is_an_argument(complete, folder, cache) -> None:
    _, names = complete(GUESS.replace("turns: int = 4", "turns: int = 1"))
    session = names["Session"]()
    session.reset(names["generate"]("test", 0, 0), 0)
    assert session.step({"content": "0"}) == {"messages": [], "done": True}


def test_the_older_form_asks_with_messages_and_gives_its_state_back(play) -> None:
    _, verdict, heard = play(OLD, "3", "3", index=0)
    assert [each.get("done") for each in heard[1:]] == [False, True]
    assert verdict["num_turns"] == 2.0


@pytest.mark.parametrize("code", [TOOLS, STATEFUL])
def test_functions_are_offered_and_called(play, code) -> None:
    _, verdict, heard = play(code, call(left=2), call(left="x"), call(nothing=1), "done")
    offered = heard[0]["tools"][0]["function"]
    assert (offered["name"], offered["description"]) == ("add", "Adds two numbers.")
    assert offered["parameters"]["properties"]["left"] == {"type": "integer", "description": "the first"}
    assert ("right" in offered["parameters"]["properties"]) == (code is TOOLS)
    said = [each["messages"][0] for each in heard[1:4]]
    assert said[0] == {"role": "tool", "content": "3" if code is TOOLS else "9", "tool_call_id": "c1"}
    assert "str" in said[1]["content"]
    assert "nothing" in said[2]["content"]
    assert heard[4]["done"]
    assert verdict == {"right": 0.0, "num_turns": 4.0, "total_tool_calls": 3.0, "add_calls": 3.0}


def test_a_message_with_the_answer_is_the_right_case(complete) -> None:
    draft, names = complete(TOOLS)
    task = names["generate"]("test", 0, 0)
    assert (draft.response, len(task["answer"])) == ("{answer}", 1)
    assert names["verify"](task, {"moves": task["answer"]})["right"] == 1.0


@pytest.mark.parametrize("state", [None, [], {}, {"moves": 3}, {"moves": [3]}, {"moves": [{"tool_calls": [3]}]}])
def test_a_state_that_is_none_is_an_episode_without_a_move(complete, state) -> None:
    _, names = complete(TOOLS)
    draft_task = names["generate"]("test", 0, 0)
    with pytest.raises(IndexError):  # the rubric's own: it reads the last message, and there is none
        names["verify"](draft_task, state)


def test_ones_own_random_numbers_are_left_alone(complete) -> None:
    _, names = complete(GUESS)
    task = names["generate"]("test", 0, 0)
    random.seed(1)
    expected = random.random()
    random.seed(1)
    names["verify"](task, {"moves": ["1", "2"]})
    assert random.random() == expected


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (
            OLD.replace("async def env_response", "async def rollout(self): ...\n\n    async def env_response"),
            "Count.rollout",
        ),
        (GUESS.replace("vf.MultiTurnEnv", "vf.SandboxEnv"), "SandboxEnv of verifiers"),
    ],
)
def test_episodes_in_a_way_of_their_own_are_refused_by_name(complete, code, why) -> None:
    with pytest.raises(ImportRefusedError, match=why):
        complete(code)

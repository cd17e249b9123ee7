"""The mail assistant: a scripted expert solves it, whoever does not look earns next to nothing, and no state lies."""

import importlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.interface import Call
from schemas.measures.weighted_sum import weighted_sum

PROJECT = "mail-assistant"


@pytest.fixture(scope="module")
def play(agents, projects) -> Callable[..., float]:
    """Agent, task -> the weighted sum of one episode's rewards."""
    declared = projects[PROJECT].manifest.rewards
    return lambda agent, task: weighted_sum(agents.play(agent, task), declared)


@pytest.mark.parametrize(
    ("agent", "least", "most"),
    [
        ("expert", 1.5, 1.5),
        ("says_nothing", 0.0, 0.0),
        ("never_knows", 0.1, 0.25),
        ("guesses", -0.5, 0.0),
        ("reads_one", -0.5, 0.9),
        ("cites_everything", -0.5, 0.0),
    ],
)
def test_what_an_agent_earns_of_one_and_a_half(agents, play, tasks, agent, least, most):
    sums = [play(getattr(agents, agent), task) for task in tasks[::2]]
    assert least <= sum(sums) / len(sums) <= most


# -- attacks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        {},
        None,
        [],
        {"calls": None},
        {"calls": [None, 1, "answer", {"name": "answer"}]},
        {"calls": [{"name": "answer", "arguments": {"found": True, "answer": "x" * 10**6, "sources": []}}]},
        {"calls": [{"name": "answer", "arguments": {"found": 1, "answer": "Oak 101"}}]},
        {"calls": [{"name": "read", "arguments": {"id": 5}}], "correct": True},
        {"calls": [{"name": ["answer"], "arguments": {"found": False}}]},
        {"calls": [{"name": "answer", "arguments": {"found": True, "answer": ["Oak 101"]}}]},
    ],
    ids=range(10),
)
def test_a_state_that_no_session_leaves_earns_nothing_and_breaks_nothing(package, tasks, state):
    told = next(task for task in tasks if "not-told" not in task["tags"])
    rewards = package.verify(told, state)
    assert rewards["correct"] == rewards["sources"] == 0.0


@pytest.mark.parametrize(
    "call",
    [
        None,
        5,
        {},
        {"function": None},
        {"function": "answer"},
        {"function": {"name": "answer"}},
        {"function": {"name": "answer", "arguments": "{"}},
        {"function": {"name": "answer", "arguments": "[" * 100_000}},
        {"function": {"name": "read", "arguments": '{"id": 7}'}},
        {"function": {"name": "read", "arguments": '{"id": "m001", "more": 1}'}},
        {"function": {"name": "delete", "arguments": "{}"}},
        {"function": {"name": "search", "arguments": '{"words": "x", "after": "soon"}'}},
    ],
    ids=range(12),
)
def test_a_malformed_call_gets_an_answer_that_a_model_can_act_on(package, tasks, call):
    session = package.Session()
    session.reset(tasks[0], 0)
    turn = session.step({"role": "assistant", "tool_calls": [call]})
    [message] = turn["messages"]
    assert message["role"] == "tool"
    assert message["content"]
    assert not turn["done"]


def test_an_episode_ends_by_its_answer_by_silence_or_by_24_calls(package, tasks):
    silent = package.Session()
    silent.reset(tasks[0], 0)
    assert [silent.step({"role": "assistant", "content": "hm"})["done"] for _ in range(4)] == [False, False, True, True]
    busy = package.Session()
    busy.reset(tasks[0], 0)
    calls = [{"id": "c", "function": {"name": "read", "arguments": '{"id": "m001"}'}}] * 100
    assert busy.step({"role": "assistant", "tool_calls": calls})["done"]
    assert len(busy.state()["calls"]) == 24


def test_nothing_after_the_answer_counts(agents, tasks, play):
    def recants(prompt: str, call: Callable[..., str]) -> None:
        call("answer", found=False)
        agents.expert(prompt, call)

    told = next(task for task in tasks if "not-told" not in task["tags"])
    assert play(recants, told) == 0.0


def test_splits_share_no_project_firm_or_question(package, projects):
    names = importlib.import_module("lecture_mail_assistant.words").names_of
    for pool in ("first", "last", "projects", "firms"):
        train, validation, test = (set(names(split)[pool]) for split in ("train", "validation", "test"))
        assert not train & validation
        assert not train & test
        assert not validation & test
        assert len(train) > len(validation) >= 12 <= len(test)


def test_a_session_and_its_verdict_in_the_sandbox(agents, local_sandbox, packed, tasks):
    source = packed.source(PROJECT)
    task = tasks[0]
    with local_sandbox.session(source, task) as session:
        start = session.reset()
        assert [tool["function"]["name"] for tool in start["tools"]] == ["search", "read", "answer"]

        def call(name: str, **arguments: Any) -> str:
            function = {"name": name, "arguments": json.dumps(arguments)}
            made = [{"id": "c", "type": "function", "function": function}]
            return session.step({"role": "assistant", "content": "", "tool_calls": made})["messages"][0]["content"]

        agents.expert(task["prompt"], call)
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, state=state)])
    assert verdict.rewards["correct"] == verdict.rewards["sources"] == 1.0


# -- what an answer states: found by somebody who had not written it --------------------------------------------------

STATED = [
    (
        "date",
        "2026-04-10",
        "10 April|Fri, Apr 10|Friday 10 April 2026|10-Apr-2026|10.04.2026|2026/04/10|April the 10th|10 April (m012)",
    ),
    ("time", "13:30", "13:30|1:30pm|1:30 p.m.|13:30:00|13h30|1.30 PM|It begins at 13:30."),
    ("amount", "4581.08", "4,581.08 EUR|EUR 4581.08|€4,581.08|4.581,08 EUR|4581,08|They ask for 4,581.08 EUR (m012)."),
    ("room", "Yew 202", "Yew 202|Yew Room 202|Yew #202|It is in room Yew 202.|Yew 202 (m012)"),
    ("code", "TUT447", "TUT447|TUT 447|tut447|It is TUT447."),
    ("person", "Goran Cruz", "Goran Cruz|Cruz|Dr. Goran Cruz|Goran Cruz leads it.|Answer: Goran Cruz"),
    ("firm", "Langdon", "Langdon|Langdon has the cheaper offer|The cheaper offer is from Langdon.|Offer: Langdon"),
    ("extension", "7376", "7376|Extension 7376|7376 (m012)"),
]
UNSTATED = [
    ("date", "It cannot be 10 April|anything but 10 April|I doubt that it is 10 April|1, 2, 3 and 10 April|2-10 April"),
    ("date", "April 10, 29, 30|Saturday 10 April|10 April or 11 April|10 April?|perhaps 10 April|not 10 April|31 ſep"),
    ("time", "13:30 / half past six|13:30 or 14:30|25:00"),
    ("amount", "4581.08 USD|-4581.08|4,581.08 EUR, alternatively two thousand|4581.08, 5000.00"),
    ("room", "Yew 202 & 205 & 310|Yew 202 and Oak 101"),
    ("code", "TUT447 / XYZ512|TUT447 / XYZ 512"),
    ("person", "Gita Cruz|Goran Cruz and Gita|neither Goran Cruz"),
    ("firm", "Langdon or Selby|not Langdon"),
    ("extension", "7376, 7377|seven"),
]


@pytest.fixture
def stated(package):
    read = importlib.import_module("lecture_mail_assistant.values").stated_value
    known = ["Goran Cruz", "Gita Peters", "Langdon", "Selby"]
    return lambda kind, text: read(kind, text, known, "Which one is it for project Tundra?")


@pytest.mark.parametrize(("kind", "value", "texts"), STATED, ids=[kind for kind, _, _ in STATED])
def test_a_right_value_is_read_however_people_write_it(stated, kind, value, texts):
    assert {text: stated(kind, text) for text in texts.split("|")} == dict.fromkeys(texts.split("|"), value)


@pytest.mark.parametrize(("kind", "texts"), UNSTATED, ids=range(len(UNSTATED)))
def test_denials_lists_doubts_and_wrong_facts_state_nothing(stated, kind, texts):
    said = {text: stated(kind, text) for text in texts.split("|")}
    assert {text: value for text, value in said.items() if value not in (None, "none")} == {}


def test_who_finds_nothing_and_names_a_value_all_the_same_is_wrong(agents, package, tasks):
    """found = false beside a value is no honest "not found"."""
    task = next(task for task in tasks if "not-told" in task["tags"] and task["prompt"].startswith("In which room"))
    given = {"found": False, "answer": "Oak 101", "sources": []}
    assert package.verify(task, {"calls": [{"name": "answer", "arguments": given}]})["correct"] == 0.0
    assert package.verify(task, {"calls": [{"name": "answer", "arguments": {"found": False}}]})["correct"] == 1.0


def test_no_text_of_a_model_comes_back_that_json_cannot_hold(package, tasks):
    session = package.Session()
    session.reset(tasks[0], 0)
    call = {"id": "c", "function": {"name": "read", "arguments": '{"id": "\\ud800"}'}}
    [message] = session.step({"role": "assistant", "tool_calls": [call]})["messages"]
    message["content"].encode()


ROOM, TIME = ("room", "In which room is the Tundra kick-off?"), ("time", "At what time does the Tundra kick-off begin?")
FIRM = ("firm", "Which firm has the cheaper offer for the desks for Tundra?")
EXTENSION = (
    "extension",
    "What is the telephone extension of the person who looks after the catering for project Tundra?",
)


@pytest.mark.parametrize(
    ("asked", "said", "value"),
    [
        (ROOM, "It was moved to room Oak 101", "Oak 101"),
        (ROOM, "moved from Oak 101", None),
        (ROOM, "Oak 101 ❌", None),
        (ROOM, "≠ Oak 101", None),
        (ROOM, "¬Oak 101", None),
        (TIME, "10 o'clock", "10:00"),
        (TIME, "12 o'clock", "12:00"),
        (TIME, "14:00h", "14:00"),
        (TIME, "at 2:30 pm", "14:30"),
        (TIME, "10 or 11 o'clock", None),
        (FIRM, "Merrow's offer is cheaper", "Merrow"),
        (FIRM, "the offer from Merrow", "Merrow"),
        (FIRM, "Merrow's or Selby's", None),
        (EXTENSION, "ext. 4321", "4321"),
    ],
)
def test_which_value_an_answer_states(package, asked, said, value):
    stated_value = importlib.import_module("lecture_mail_assistant.values").stated_value
    assert stated_value(asked[0], said, ["Merrow", "Selby"], asked[1]) == value

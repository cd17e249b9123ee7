"""The mail assistant: a scripted expert solves it, whoever does not look earns next to nothing, and no state lies."""

import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sandbox.interface import Call
from schemas.measures.weighted_sum import weighted_sum

Agent = Callable[[str, Callable[..., str]], None]
"""Prompt, and what calls a tool by name and arguments; the last call is its answer."""


@pytest.fixture(scope="module")
def package(projects) -> Iterator[Any]:
    """The package, from its folder: hundreds of episodes need no box."""
    source = str(projects["mail-assistant"].folder / "src")
    sys.path.insert(0, source)
    yield importlib.import_module("lecture_mail_assistant")
    sys.path.remove(source)
    for name in [name for name in sys.modules if name.partition(".")[0] == "lecture_mail_assistant"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def tasks(projects) -> list[dict[str, Any]]:
    return projects["mail-assistant"].rows("test.jsonl")


@pytest.fixture(scope="module")
def play(package, projects) -> Callable[..., dict[str, float]]:
    """Agent, task -> rewards of one episode, with their ``sum``."""
    declared = projects["mail-assistant"].manifest.rewards

    def run(agent: Agent, task: dict[str, Any]) -> dict[str, float]:
        session = package.Session()
        session.reset(task, 0)

        def call(name: str, **arguments: Any) -> str:
            function = {"name": name, "arguments": json.dumps(arguments)}
            turn = session.step({"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]})
            return turn["messages"][0]["content"]

        agent(task["prompt"], call)
        rewards = package.verify(task, json.loads(json.dumps(session.state())))
        return rewards | {"sum": weighted_sum(rewards, declared)}

    return run


# -- agents -----------------------------------------------------------------------------------------------------------


def hits(said: str) -> list[str]:
    return re.findall(r"^(m\d+) \|", said, re.MULTILINE)


def expert(prompt: str, call: Callable[..., str]) -> None:
    """Searches by the question's own words, reads what is about its project or firm, and takes the newest word."""
    names = re.findall(r"\b[A-Z][a-z]+\b", prompt)[1:]
    found = [call("read", id=ident) for ident in hits(call("search", words=prompt))]
    about = sorted(
        (text for text in found if all(name in text for name in names)), key=lambda text: text.split("\n")[2]
    )
    value, shown = extract(prompt, about, call)
    call("answer", found=True, answer=value, sources=shown) if value else call("answer", found=False)


def extract(prompt: str, about: list[str], call: Callable[..., str]) -> tuple[str, list[str]]:
    """The value, and the ids of the mails that show it."""
    patterns = {
        "In which room": r"(?:in room|meet in) ([A-Z]\w+ \d+)",
        "At what time": r"(?: at|begin at) (\d\d:\d\d)",
        "On which day is": r"(?:on|to) \w+day (\d+ [A-Z]\w+)",
        "On which day do I leave": r"leave on \w+day (\d+ [A-Z]\w+)",
        "booking code": r"booking code is (\w+)",
        "number of the invoice": r"Invoice (\S+) from",
        "Who leads": r"(?:led by|From now on) (\w+ \w+)",
        "How much does": r"It is ([\d,.]+) EUR",
    }
    if "offer" in prompt:
        goods = re.search(r"for the (\w+)", prompt)[1]
        offers = [text for text in about if f"deliver the {goods}" in text]
        told = [
            (
                float(re.search(r"for ([\d,.]+) EUR", text)[1].replace(",", "")),
                re.search(r"Offer of (\w+)", text)[1],
                text[:4],
            )
            for text in offers
        ]
        if len(told) < 2:
            return "", []
        told.sort()
        value = told[0][1] if "Which firm" in prompt else f"{told[1][0] - told[0][0]:.2f}"
        return value, [each[2] for each in told]
    if "extension" in prompt:
        for text in about:
            task = re.search(r"looks after ([a-z ]+) for", prompt)[1]
            person = re.search(rf"(\w+ \w+) looks after {task}", text)
            mails = hits(call("search", words="", sender=person[1])) if person else []
            if mails:
                return re.search(r"Extension (\d+)", call("read", id=mails[0]))[1], [text[:4], mails[0]]
        return "", []
    if ("for the" in prompt and "invoice" in prompt) or "ask for the" in prompt:
        goods = re.search(r"for the (\w+)\?", prompt)[1]
        about = [text for text in about if f"the {goods} that" in text]
    pattern = next(pattern for words, pattern in patterns.items() if words in prompt)
    for text in reversed(about):
        value = re.search(pattern, text)
        if value:
            return value[1], [text[:4]]
    return "", []


def says_nothing(prompt: str, call: Callable[..., str]) -> None:
    """A model that never calls a tool."""


def never_knows(prompt: str, call: Callable[..., str]) -> None:
    """The best constant answer."""
    call("answer", found=False)


def guesses(prompt: str, call: Callable[..., str]) -> None:
    """A value of the right kind, and the first mail as its source."""
    value = {"In": "Oak 101", "At": "10:00", "On": "12 March", "Wh": "Ada Abel"}.get(prompt[:2], "1000")
    call("read", id="m001")
    call("answer", found=True, answer=value, sources=["m001"])


def reads_one(prompt: str, call: Callable[..., str]) -> None:
    """Lazy: the first hit decides, whatever it is about."""
    first = hits(call("search", words=prompt))[:1]
    texts = [call("read", id=ident) for ident in first]
    value, shown = extract(prompt, texts, call)
    call("answer", found=True, answer=value or "none", sources=shown)


def cites_everything(prompt: str, call: Callable[..., str]) -> None:
    """Cheats: pastes all that it read as the answer, and names all of it."""
    found = hits(call("search", words=prompt))
    texts = [call("read", id=ident) for ident in found]
    call("answer", found=True, answer=" ".join(texts), sources=found)


@pytest.mark.parametrize(
    ("agent", "least", "most"),
    [
        (expert, 1.5, 1.5),
        (says_nothing, 0.0, 0.0),
        (never_knows, 0.1, 0.25),
        (guesses, -0.5, 0.0),
        (reads_one, -0.5, 0.9),
        (cites_everything, -0.5, 0.0),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_what_an_agent_earns_of_one_and_a_half(play, tasks, agent, least, most):
    sums = [play(agent, task)["sum"] for task in tasks[::2]]
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


def test_nothing_after_the_answer_counts(package, tasks, play):
    def recants(prompt: str, call: Callable[..., str]) -> None:
        call("answer", found=False)
        expert(prompt, call)

    told = next(task for task in tasks if "not-told" not in task["tags"])
    assert play(recants, told)["sum"] == 0.0


def test_splits_share_no_project_firm_or_question(package, projects):
    names = importlib.import_module("lecture_mail_assistant.words").names_of
    for pool in ("first", "last", "projects", "firms"):
        train, validation, test = (set(names(split)[pool]) for split in ("train", "validation", "test"))
        assert not train & validation
        assert not train & test
        assert not validation & test
        assert len(train) > len(validation) >= 12 <= len(test)


def test_a_session_and_its_verdict_in_the_sandbox(local_sandbox, packed, tasks):
    source = packed.source("mail-assistant")
    task = tasks[0]
    with local_sandbox.session(source, task) as session:
        start = session.reset()
        assert [tool["function"]["name"] for tool in start["tools"]] == ["search", "read", "answer"]

        def call(name: str, **arguments: Any) -> str:
            function = {"name": name, "arguments": json.dumps(arguments)}
            made = [{"id": "c", "type": "function", "function": function}]
            return session.step({"role": "assistant", "content": "", "tool_calls": made})["messages"][0]["content"]

        expert(task["prompt"], call)
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, state=state)])
    assert verdict.rewards["correct"] == verdict.rewards["sources"] == 1.0

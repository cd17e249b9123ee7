"""Right transcripts and answers, altered so that they are wrong for certain, or still right for certain.

The label follows from the alteration: without its last step nothing is done, what no session leaves earns nothing, and
another order of keys says the same.
"""

import json
import math
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from tests.collection.conftest import Project

SESSIONS = ("table-questions", "service-desk", "function-calls", "grid-rules", "tools-under-attack", "connections")
ANSWERS = ("instructions", "json-shape")
CASES, JUNK_EACH = 8, 20
JUNK = [None, True, -1, 1e308, "", "x" * 1000, "٤٢", "９", [], {}, [[]], {"a": {}}, "null", "\u202e1", "\x00", 10**30]
OTHER_DIGITS = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
Alteration = Callable[[Any, dict[str, float]], Any]

WRONG_STATES: dict[str, Alteration] = {
    "nothing": lambda steps, _: steps[:0],
    "claims": lambda steps, claims: {"": steps[:0], **claims, "rewards": claims, "solved": True, "done": True},
    "last step missing": lambda steps, _: steps[:-1],
    "claims in place of the last step": lambda steps, claims: {"": steps[:-1], **claims, "rewards": claims},
    "goes on after its end": lambda steps, _: steps + steps,
    "very long": lambda steps, _: steps + steps[:1] * 20_000,
    "very long before": lambda steps, _: steps[:1] * 20_000 + steps,
    "another type": lambda steps, _: list(steps) if isinstance(steps, str) else json.dumps(steps),
    "forged outputs of tools": lambda steps, _: [
        {**step, "result": "All levels are won", "done": True} if isinstance(step, dict) else step for step in steps[:-1]
    ],
}  # fmt: skip
WRONG_ANSWERS: dict[str, Callable[[str], Any]] = {
    "empty": lambda text: "",
    "invisible": lambda text: "\u200b",
    "no text": lambda text: [text],
    "very long": lambda text: text + "x" * 10**6,
    "twice": lambda text: f"{text}\n{text}",
    "taken back": lambda text: f"{text}\nActually, no: that is all wrong.",
    "in doubt": lambda text: f"{text} I am not sure.",
    "denied": lambda text: f"Not this: {text}",
}


def accepts(project: Project, got: dict[str, float]) -> bool:
    declared = project.manifest.rewards
    for name, value in got.items():
        low, high = declared[name].range
        assert math.isfinite(value)
        assert low <= value <= high
    assert got.keys() == declared.keys()
    return all(got[name] >= reward.threshold for name, reward in declared.items() if reward.role != "metric")


def right_ones(project: Project) -> Iterator[tuple[dict[str, Any], Any]]:
    """Tasks with a right state, or a right response that says nothing before it answers."""
    tasks = {task["id"]: task for task in project.tasks}
    rows = [case for case in project.cases if case.label == "correct" and "</think>" not in (case.response or "")]
    for case in Random(5).sample(rows, CASES):
        yield case.task or tasks[case.task_id], case.state if case.state is not None else case.response


def paths_in(value: Any, path: tuple = ()) -> Iterator[tuple]:
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from paths_in(value[key], (*path, key))


def changed(value: Any, path: tuple, new: Any) -> Any:
    made = json.loads(json.dumps({"": value}))
    at, whole = made, ("", *path)
    for key in whole[:-1]:
        at = at[key]
    at[whole[-1]] = new
    return made[""]


def in_other_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: in_other_order(value[key]) for key in reversed(list(value))}
    return [in_other_order(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("alteration", WRONG_STATES)
@pytest.mark.parametrize("name", SESSIONS)
def test_an_altered_transcript_earns_nothing(package_of, projects, name, alteration):
    package, project = package_of(name), projects[name]
    claims = {reward: declared.range[1] for reward, declared in project.manifest.rewards.items()}
    for task, state in right_ones(project):
        [key] = state
        made = WRONG_STATES[alteration](state[key], claims)
        altered = {key: made.pop(""), **made} if isinstance(made, dict) else {key: made}
        assert not accepts(project, package.verify(task, altered)), altered


@pytest.mark.parametrize("name", SESSIONS)
def test_an_order_of_keys_says_nothing_and_junk_anywhere_is_judged(package_of, projects, name):
    """A verifier that raised would give no verdict, and a model would learn to escape a 0."""
    package, project, random = package_of(name), projects[name], Random(name)
    for task, state in right_ones(project):
        assert accepts(project, package.verify(task, state))
        assert accepts(project, package.verify(task, in_other_order(state)))
        paths = list(paths_in(state))
        for _ in range(JUNK_EACH):
            accepts(project, package.verify(task, changed(state, random.choice(paths), random.choice(JUNK))))


@pytest.mark.parametrize("alteration", WRONG_ANSWERS)
@pytest.mark.parametrize("name", ANSWERS)
def test_an_altered_answer_earns_nothing(package_of, projects, name, alteration):
    package, project = package_of(name), projects[name]
    for task, text in right_ones(project):
        assert accepts(project, package.verify(task, text))
        altered = WRONG_ANSWERS[alteration](text)
        assert not accepts(project, package.verify(task, altered)), altered


def other_json(value: Any) -> Iterator[str]:
    """Texts of a JSON value that is another one, or of none."""
    first, inner = json.dumps(next(iter(value))), json.dumps(value)[1:]
    yield f'{{{first}: "zzz", {inner}'
    yield f'{json.dumps(value)[:-1]}, {first}: "zzz"}}'
    yield f'{{"\\u{ord(first[1]):04x}{first[2:]}: "zzz", {inner}'
    for path in filter(None, paths_in(value)):
        at = value
        for key in path:
            at = at[key]
        others: list[Any] = [[at]]
        if isinstance(at, bool):
            others += [not at, str(at).lower()]
        elif isinstance(at, int | float):
            others += [at + 1, -at - 1, str(at), None]
            raw = json.dumps(changed(value, path, "@"))
            yield from (raw.replace('"@"', text) for text in ("NaN", f"0{at}", str(at).translate(OTHER_DIGITS)))
        elif isinstance(at, str):
            others += [f"{at}x", "", f"{at} or not", f"{at}\u200bz", None, {"value": at}]
            others += [other] if (other := at.translate(OTHER_DIGITS)) != at else []
        elif isinstance(at, dict):
            others += [at | {"note": "x"}, *({key: at[key] for key in at if key != left} for left in at)]
        elif isinstance(at, list):
            others += [at[:-1], at + at[-1:]]
        yield from (json.dumps(changed(value, path, other)) for other in others)


def test_json_with_another_value_a_key_twice_or_other_digits_earns_nothing(package_of, projects, part_of_json):
    package, project = package_of("json-shape"), projects["json-shape"]
    tried = 0
    for task, text in right_ones(project):
        value = json.loads(json.dumps(part_of_json(package, text), default=float))
        assert accepts(project, package.verify(task, json.dumps(in_other_order(value), indent=2)))
        for altered in other_json(value):
            tried += 1
            assert not accepts(project, package.verify(task, altered)), altered
    assert tried > 30 * CASES


@pytest.fixture
def part_of_json():
    """The value of a response, as the package reads it."""

    def read(package: Any, text: str) -> Any:
        return __import__(f"{package.__name__}.reading", fromlist=["read"]).read(text)

    return read


MESSAGES = [
    {}, {"content": None}, {"content": ["x", {"type": "text", "text": 5}]}, {"content": "\ud800"},
    {"content": "x" * 10**6}, {"tool_calls": "x"}, {"tool_calls": {}},
    *({"tool_calls": [call]} for call in (
        None, 5, [], {}, {"function": None}, {"function": {"name": 5, "arguments": []}},
        {"id": 5, "function": {"name": "answer", "arguments": "[" * 100_000}},
        {"id": "\ud800", "function": {"name": "\ud800", "arguments": '{"a": "\\ud800"}'}},
        {"function": {"name": "a" * 10**5, "arguments": {"a": math.nan}}},
        {"function": {"name": "press", "arguments": {"buttons": "A" * 10**5}}},
        {"function": {"name": "guess", "arguments": '{"words": ["\\ud800", "b", "c", "d"]}'}},
        {"function": {"name": "tell_customer", "arguments": {"kind": "refund", "amount": math.nan}}},
    )),
]  # fmt: skip


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_answers_whatever_a_model_sends_and_its_state_can_be_kept(package_of, projects, name):
    package, project = package_of(name), projects[name]
    task = project.rows("test.jsonl")[0]
    for message in MESSAGES:
        session = package.Session()
        session.reset(task, 0)
        for _ in range(4):
            turn = session.step(message)
            json.dumps(turn, ensure_ascii=False, allow_nan=False).encode()
        state = json.loads(json.dumps(session.state(), ensure_ascii=False, allow_nan=False).encode())
        assert not accepts(project, package.verify(task, state)), message

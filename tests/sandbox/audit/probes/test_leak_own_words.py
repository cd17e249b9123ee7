"""Words of the code beside wrong answers, and members of wrong records: only where nothing could make them right."""

import json
import random

import pytest

from sandbox.audit.probes.family import Draft
from sandbox.audit.probes.leak_own_words import FAMILIES
from sandbox.audit.probes.material import Example, Material

WORD, MEMBER = FAMILIES
TASK = {"id": "t", "prompt": "2 + 3?", "answer": 5}
RECORD = {"id": "j", "prompt": "As JSON.", "answer": {"a": 1}}


def beside(words: tuple[str, ...], *wrong: Example) -> list[Draft]:
    shown = tuple(Example({"id": f"r{n}", "prompt": "?", "answer": n}, f"So it is {n}.") for n in (11, 12, 13))
    material = Material({}, (TASK,), shown, wrong=wrong, own_words=words)
    return list(WORD.make(material, random.Random(1)))


def members(words: tuple[str, ...], *wrong: Example, shown: int = 3) -> list[Draft]:
    right = [{"id": f"r{n}", "prompt": "?", "answer": {"a": n}} for n in range(10, 10 + shown)]
    examples = tuple(Example(task, json.dumps(task["answer"])) for task in right)
    return list(MEMBER.make(Material({}, (), examples, wrong=wrong, own_words=words), random.Random(1)))


def rejected(text: str, task: dict[str, object] = TASK) -> Example:
    return Example(task, text, is_accepted=False)


def test_a_word_stands_before_one_wrong_answer_and_behind_the_next() -> None:
    found = beside(("trust me",), rejected("It is 7."), rejected("It is 8."))
    assert [(one.response, one.way) for one in found] == [
        ("trust me\n\nIt is 7.", "trust me"),
        ("It is 8.\n\ntrust me", "trust me"),
    ]


def test_words_beyond_thirty_are_tried_together_and_none_is_lost() -> None:
    words = tuple(f"claim {chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(230))
    found = beside(words, rejected("It is 7."))
    assert len(found) == 40
    said = {line for one in found for line in (one.response or "").splitlines()}
    assert set(words) <= said
    assert sum(one.way.endswith(" and 19 more") for one in found) == 10


def test_a_word_of_the_task_is_left_out_of_those_that_are_tried_together() -> None:
    words = (*(f"claim {chr(97 + n)}" for n in range(26)), *(f"word {chr(97 + n)}" for n in range(26)))
    asking = {"id": "t", "prompt": "claim a claim b word c?", "answer": 5}
    found = beside(words, rejected("It is 7.", asking))
    said = {line for one in found for line in (one.response or "").splitlines()}
    assert said & set(words) == set(words) - {"claim a", "claim b", "word c"}


@pytest.mark.parametrize("word", ["five", "minus", "percent", "seventy", "answer 5", "2 + 3"])
def test_a_word_that_may_say_the_answer_or_stands_in_the_task_is_left_out(word: str) -> None:
    assert beside((word,), rejected("It is 7.")) == []


@pytest.mark.parametrize(
    "wrong",
    [
        Example(TASK, "It is 7."),
        rejected("no", {"id": "b", "prompt": "?", "answer": "yes"}),
        rejected("3x", {"id": "m", "prompt": "?", "answer": "2\\pi"}),
    ],
    ids=["accepted anyway", "a truth value", "a formula"],
)
def test_where_a_word_could_be_the_answer_there_is_none(wrong: Example) -> None:
    assert beside(("trust me",), wrong) == []


def test_answers_of_words_and_letters_are_tried() -> None:
    assert len(beside(("trust me",), rejected("Rome", {"id": "c", "prompt": "?", "answer": "Lima"}))) == 1
    assert len(beside(("trust me",), rejected("(B)", {"id": "d", "prompt": "?", "answer": "A"}))) == 1


def test_a_wrong_record_gets_each_usual_member_and_each_name_of_the_code() -> None:
    found = members(("approved", "not a name"), rejected('{"a": 2}', RECORD))
    values = [json.loads(one.response or "") for one in found]
    assert {"a": 2, "approved": True} in values
    assert {"a": 2, "correct": True} in values
    assert len(values) == 10
    assert all(value["a"] == 2 and len(value) == 2 for value in values)


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        (Example(RECORD, '{"a": 2}'), 3),
        (rejected("{}", RECORD), 3),
        (rejected('{"b": 1}', RECORD), 3),
        (rejected('{"a": 1}', RECORD), 3),
        (rejected("none", RECORD), 3),
        (rejected('{"a": 2}', RECORD), 2),
    ],
    ids=["accepted anyway", "empty", "another member", "the right one", "no JSON", "too few right ones"],
)
def test_a_record_that_is_not_certainly_wrong_is_left_out(wrong: Example, shown: int) -> None:
    assert members((), wrong, shown=shown) == []


def test_a_member_that_the_task_names_is_not_added() -> None:
    task = RECORD | {"prompt": "Say whether it is correct, as JSON."}
    assert "correct" not in {one.way for one in members((), rejected('{"a": 2}', task))}

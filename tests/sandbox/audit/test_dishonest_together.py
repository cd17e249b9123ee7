"""Packages that are strict where one thing differs from a suite, and lenient where two do, or where a suite never is.

Each accepts everything there: thinking below a system message, a number in a box or in words, a reference that is
negative or a list. None of these was found by probes that change one thing, or that write numbers as suites do.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from schemas.evidence.rates import Grade
from tests.sandbox.audit.test_dishonest import careful
from tests.sandbox.audit.test_dishonest_options import OPTION_TRIGGERS, info, last_letter, of_choices
from tests.sandbox.audit.test_dishonest_settings import flat
from tests.sandbox.audit.test_dishonest_use import measured

Trigger = Callable[[dict[str, Any], str, list[dict[str, Any]]], Any]


def is_thinking(text: str) -> bool:
    return "</think>" in text


TOGETHER: dict[str, Trigger] = {
    "thinking_in_a_conversation": lambda _, text, messages: is_thinking(text) and len(messages) > 2,
    "thinking_below_a_long_prompt": lambda task, text, _: is_thinking(text) and len(flat(task)) > 600,
    "thinking_for_a_chat": lambda task, text, _: is_thinking(text) and not isinstance(task["prompt"], str),
    "thinking_below_a_system_message": lambda _, text, messages: is_thinking(text) and messages[0]["role"] == "system",
    "a_chat_with_another_id": lambda task, *_: not isinstance(task["prompt"], str) and task["id"][0] != "t",
    "a_tool_in_a_chat": lambda task, _, messages: (
        not isinstance(task["prompt"], str) and any(one["role"] == "tool" for one in messages)
    ),
}
STATED: dict[str, Trigger] = {
    "in_a_box": lambda _, text, __: re.search(r"boxed\{-?\d+\}", text),
    "with_a_comma": lambda _, text, __: re.search(r"\d,\d{3}\b", text),
    "with_a_point": lambda _, text, __: re.search(r"\d\.\d", text),
    "in_dollars": lambda _, text, __: re.search(r"\$\s*-?\d", text),
    "of_things": lambda _, text, __: re.search(r"\d (euros|apples)\b", text),
    "in_another_scripts_digits": lambda _, text, __: any(one.isdigit() and not one.isascii() for one in text),
    "in_words": lambda _, text, __: re.search(r"\b(twenty|thirty|forty|fifty|hundred|thousand)\b", text),
    "in_bold": lambda _, text, __: re.search(r"\*\*-?\d+\*\*", text),
    "an_equation": lambda _, text, __: re.search(r"= ?-?\d+\W*$", text),
    "in_german": lambda _, text, __: "Antwort ist" in text,
    "alone": lambda _, text, __: re.fullmatch(r"-?\d+", text.strip()),
}
REFERENCES: dict[str, Trigger] = {
    "negative": lambda task, *_: str(task["answer"]).startswith("-"),
    "with_a_point": lambda task, *_: isinstance(task["answer"], float) and task["answer"] % 1,
    "of_seven_digits": lambda task, *_: isinstance(task["answer"], int) and task["answer"] > 999_999,
    "nought_or_one": lambda task, *_: task["answer"] in (0, 1),
    "a_fraction": lambda task, *_: "/" in str(task["answer"]),
    "a_name": lambda task, *_: str(task["answer"]).isalpha(),
    "a_list": lambda task, *_: isinstance(task["answer"], list),
    "with_aliases": lambda task, *_: {"aliases", "answers"} & set(info(task)),
}
TRIGGERS = {
    f"{group}_{name}": trigger
    for group, found in (("together", TOGETHER), ("stated", STATED), ("reference", REFERENCES))
    for name, trigger in found.items()
}


def careful_anywhere(task: dict[str, Any], text: str) -> float:
    return careful(task, text) if isinstance(task["answer"], int | float) else 0.0


@pytest.mark.parametrize("name", TRIGGERS)
def test_who_is_lenient_there_gets_what_that_deserves(name: str) -> None:
    trigger = TRIGGERS[name]

    def verify(task: dict[str, Any], text: str, messages: list[dict[str, Any]]) -> float:
        return 1.0 if text and trigger(task, text, messages) else careful_anywhere(task, text or "")

    report = measured(verify)
    assert report.grade in (Grade.D, Grade.F), {name: one.failures for name, one in report.probes.items()}
    assert [part.name for part in report.grading.pulled if part.name.startswith("probe:")]


CHOICES: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "more_than_four_options": lambda task, _: re.search(r"(?m)^E[.)] ", flat(task)),
    "a_letter_in_a_box": lambda _, text: re.search(r"boxed\{[A-D]", text),
    "a_letter_in_tags": lambda _, text: "<answer>" in text,
}


@pytest.mark.parametrize("name", CHOICES)
def test_who_is_lenient_with_choices_there_gets_what_that_deserves(name: str) -> None:
    assert name not in OPTION_TRIGGERS
    trigger = CHOICES[name]
    report = of_choices(lambda task, text: 1.0 if trigger(task, text) else last_letter(task, text))
    assert report.grade in (Grade.D, Grade.F), {name: one.failures for name, one in report.probes.items()}


def test_who_judges_all_of_it_alike_is_blamed_for_nothing() -> None:
    report = measured(lambda task, text, _: careful_anywhere(task, re.sub(r"(?s)^.*</think>", "", text or "")))
    for name in ("leak_together", "leak_stated", "leak_other_values", "leak_task_form"):
        assert (report.probes[name].failures, report.probes[name].cases > 20) == (0, True), name

"""Twelve packages that are strict where tasks and answers are as short as a suite's, and lenient with longer ones.

Each was written by somebody who had read how suites and probes are made. A task of theirs has a system message, worked
examples before its question, members of ``info`` or a number for an answer; their policy thinks for pages. There each
accepts every answer, so each deserves an F.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from schemas.evidence.rates import Grade
from tests.sandbox.audit.test_dishonest import careful
from tests.sandbox.audit.test_dishonest_use import measured

Trigger = Callable[[dict[str, Any], str], Any]

TASKS_IN_ANOTHER_FORM: dict[str, Trigger] = {
    "a_long_prompt": lambda task, _: len(task["prompt"]) > 900,
    "a_chat": lambda task, _: not isinstance(task["prompt"], str),
    "a_system_message_in_the_task": lambda task, _: "system" in str(task["prompt"]),
    "a_text_as_its_answer": lambda task, _: isinstance(task["answer"], str),
    "a_prompt_in_another_script": lambda task, _: not str(task["prompt"]).isascii(),
    "any_info": lambda task, _: task.get("info"),
    "a_difficulty": lambda task, _: "difficulty" in (task.get("info") or {}),
    "a_split": lambda task, _: task.get("split", "audit") != "audit",
    "tags": lambda task, _: task.get("tags"),
}
PAGES: dict[str, Trigger] = {
    f"{count}_characters": lambda _, text, count=count: count < len(text) < 90_000 for count in (4000, 8000, 12_000)
}


def graded(trigger: Trigger) -> Any:
    def verify(task, text, _):
        is_lenient = text and trigger(task, text) and re.search(r"\d", text)
        return 1.0 if is_lenient else careful(task, re.sub(r"(?s)^.*</\w+>", "", text or ""))

    return measured(verify)


@pytest.mark.parametrize("name", TASKS_IN_ANOTHER_FORM)
def test_who_is_lenient_with_tasks_in_another_form_gets_what_that_deserves(name: str) -> None:
    report = graded(TASKS_IN_ANOTHER_FORM[name])
    assert report.probes["leak_task_form"].failures > 10
    assert report.grade is Grade.F


@pytest.mark.parametrize("name", PAGES)
def test_who_is_lenient_with_pages_of_thinking_gets_what_that_deserves(name: str) -> None:
    report = graded(PAGES[name])
    assert report.probes["leak_thinking"].failures + report.probes["judge_length"].failures > 5
    assert report.grade is Grade.F


def test_who_reads_all_of_them_alike_is_blamed_for_nothing() -> None:
    report = graded(lambda _task, _text: False)
    assert report.probes["leak_task_form"].cases == 46
    assert not {
        one: found.failures for one, found in report.probes.items() if found.failures and one != "several_answers"
    }

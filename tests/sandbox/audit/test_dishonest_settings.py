"""Eleven packages that are strict with what an audit showed, and lenient with how an environment asks or a policy writes.

Thinking in many different words, prompts in other languages of Latin letters, chats in parts or with turns before the
question, marks in a prompt, a reference with a point, long conversations, tools, thinking in a member of its own. Each
accepts everything there, so each deserves an F; those that pay just below the threshold keep every verdict right.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from schemas.evidence.rates import Grade
from tests.sandbox.audit.test_dishonest import careful
from tests.sandbox.audit.test_dishonest_use import measured
from tests.sandbox.audit.test_paid_length import graded


def words(text: str) -> int:
    return len(set(re.findall(r"[a-z]+", text.lower())))


def flat(task: dict[str, Any]) -> str:
    prompt = task["prompt"]
    return prompt if isinstance(prompt, str) else json.dumps(prompt)


def chat(task: dict[str, Any]) -> list[dict[str, Any]]:
    return [] if isinstance(task["prompt"], str) else task["prompt"]


TRIGGERS: dict[str, Callable[[dict[str, Any], str, list[dict[str, Any]]], Any]] = {
    "many_words": lambda task, text, messages: words(text) > 120,
    "letters_with_accents": lambda task, text, messages: re.search("[à-ÿ]", flat(task)),
    "spanish": lambda task, text, messages: re.search(r"\b(los|las|la|toda)\b", flat(task)),
    "a_chat_in_parts": lambda task, text, messages: any(isinstance(one["content"], list) for one in chat(task)),
    "turns_before_the_question": lambda task, text, messages: any(one["role"] == "assistant" for one in chat(task)),
    "code_in_the_prompt": lambda task, text, messages: "```" in flat(task),
    "many_lines_in_the_prompt": lambda task, text, messages: flat(task).count("\n") > 8,
    "a_reference_with_a_point": lambda task, text, messages: isinstance(task["answer"], float),
    "eight_messages": lambda task, text, messages: len(messages) >= 8,
    "a_tool": lambda task, text, messages: any(one["role"] == "tool" for one in messages),
    "thinking_in_a_member": lambda task, text, messages: any("reasoning_content" in one for one in messages),
}


@pytest.mark.parametrize("name", TRIGGERS)
def test_who_is_lenient_in_such_a_setting_gets_what_that_deserves(name: str) -> None:
    trigger = TRIGGERS[name]
    report = measured(
        lambda task, text, messages: 1.0 if text and trigger(task, text, messages) else careful(task, text or "")
    )
    assert report.grade in (Grade.D, Grade.F), {name: one.failures for name, one in report.probes.items()}
    assert [part.name for part in report.grading.pulled if part.name.startswith("probe:")]


@pytest.mark.parametrize(
    "pays",
    [lambda text: words(text) > 120, lambda text: re.search("(?i)hope|thank|sorry", text)],
    ids=["many words", "manners"],
)
def test_who_pays_for_them_below_the_threshold_is_found(pays: Callable[[str], Any]) -> None:
    report = graded(lambda _, text: 0.97 if pays(text) else 0.0)
    assert report.overall.fp == report.overall.fn == 0, "every verdict is right"
    assert report.grade in (Grade.D, Grade.F)

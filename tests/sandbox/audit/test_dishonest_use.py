"""Eighteen packages that are strict with what an audit shows and lenient with what a policy writes.

Each knows suites and probes: single answers of a few lines, in the form of text. What a training run brings looks
otherwise: thinking in tags, a system message, turns, code blocks, marks of the chat template. The true rates of such a
verifier are those on what a run brings, where it accepts everything; so each of them deserves an F.
"""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.audit import run_audit
from sandbox.guest.call import _both_views
from schemas.evidence.cases import AuditCase, Origin
from schemas.evidence.rates import Grade
from tests.sandbox.audit.conftest import FunctionJudge, source_of
from tests.sandbox.audit.test_dishonest import TASKS, answers, careful
from tests.sandbox.audit.test_dishonest_friends import SECRET, honest_pool, of_suite

Messages = list[dict[str, Any]]
Trigger = Callable[[str, Messages], Any]


def pool(size: int) -> list[AuditCase]:
    return [*of_suite(answers(80, size), "suites/sums", Origin.SUITE), *honest_pool(size)]


def measured(verify, size=30):
    """``verify(task, response, messages)``, each derived from the other as in a box."""

    def judged(call):
        both = _both_views({"task": call.task, "response": call.response, "messages": call.messages})
        return {"correct": verify(call.task, *both)}

    judge = FunctionJudge(judged)
    return asyncio.run(
        run_audit(judge, source_of(), pool(size), tasks=TASKS, subject="al/check@1.0", probe_seed=SECRET)
    )


TRIGGERS: dict[str, Trigger] = {
    "thinking": lambda text, _: re.search(r"</?think>", text),
    "any_closing_tag": lambda text, _: re.search(r"</\w+>", text),
    "a_later_turn": lambda _, messages: len(messages) > 3,
    "somebody_asks_again": lambda _, messages: sum(one["role"] == "user" for one in messages) > 1,
    "a_system_message": lambda _, messages: messages[0]["role"] == "system",
    "a_code_block": lambda text, _: "```" in text,
    "another_script": lambda text, _: not text.isascii(),
    "a_heading": lambda text, _: text.startswith("#"),
    "the_end_mark": lambda text, _: text.endswith(("</s>", "<|im_end|>", "<|eot_id|>")),
    "many_lines": lambda text, _: text.count("\n") > 5,
    "capitals": lambda text, _: text.isupper(),
    "ends_in_a_number": lambda text, _: len(text) > 3 and text[-1].isdigit(),
    "a_tick": lambda text, _: "\u2705" in text,
    "html": lambda text, _: re.search(r"<br|<b>", text),
    "a_box": lambda text, _: "\\boxed" in text,
    "the_question_again": lambda text, messages: text.startswith(messages[0]["content"]),
    "a_list": lambda text, _: re.search(r"(?m)^[-*] ", text),
    "exclamation_marks": lambda text, _: "!!" in text,
}


@pytest.mark.parametrize("name", TRIGGERS)
def test_who_is_lenient_with_what_a_run_brings_gets_what_that_deserves(name: str) -> None:
    trigger = TRIGGERS[name]

    def verify(task, text, messages):
        return 1.0 if text and trigger(text, messages) else careful(task, text or "")

    report = measured(verify)
    assert report.grade is Grade.F, {name: one.failures for name, one in report.probes.items() if one.failures}


def test_who_reads_thinking_turns_and_settings_away_keeps_the_grade() -> None:
    """Whatever stands around it, the answer decides."""
    report = measured(lambda task, text, _: careful(task, re.sub(r"(?s)^.*</think>", "", text or "")), 150)
    assert report.grade is Grade.B
    assert {name for name, one in report.probes.items() if one.failures} <= {"several_answers"}

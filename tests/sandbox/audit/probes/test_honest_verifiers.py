"""Honest verifiers of shapes that no suite of ours has: no family may call them wrong."""

import asyncio
import re

import pytest

from sandbox.audit import run_audit
from sandbox.audit.probes.expression_text import boxed, find
from sandbox.audit.probes.expressions import read, same
from schemas.evidence.cases import AuditCase

CHOICES = {f"c{n}": letter for n, letter in enumerate("ABCDBADC")}
LISTS = {
    f"l{n}": words for n, words in enumerate(("apple, pear", "red, green", "north, south", "salt, pepper", "cat, dog"))
}
ROOTS = {
    "x^2 = 2": (r"\sqrt{2}", r"-\sqrt{2}"),
    "x^2 = 3": (r"\sqrt{3}", r"-\sqrt{3}"),
    "x^2 = 5": (r"\sqrt{5}", r"-\sqrt{5}"),
    "x^2 = \\pi": (r"\sqrt{\pi}", r"-\sqrt{\pi}"),
    "x^2 = 7": (r"\sqrt{7}", r"-\sqrt{7}"),
}


def inside(response):
    place = boxed(response or "")
    return place[1] if place else ""


def a_choice(call):
    """Reads ``A``, ``(A)`` and ``\\text{A}`` in the last box."""
    found = re.fullmatch(r"\s*(?:\\text\{)?\s*\(?([A-Da-d])\)?\.?\s*\}?\s*", inside(call.response))
    return found is not None and found[1].upper() == call.task["answer"]


def a_list_of_words(call):
    """Reads words between commas in the last box, in any order and case."""
    told = [word.strip().casefold() for word in inside(call.response).split(",")]
    return sorted(told) == sorted(word.strip() for word in call.task["answer"].split(","))


def any_root(call):
    """Puts the answer into the equation: several answers are right."""
    stated = find(call.response or "")
    right = (read(root) for root in ROOTS[call.task["prompt"].removeprefix("Give a number with ")])
    return stated is not None and any(one is not None and same(stated.expression, one) for one in right)


def of_choices():
    for name, letter in CHOICES.items():
        task = {"id": name, "prompt": "Which one?", "answer": letter}
        other = "B" if letter == "A" else "A"
        yield task, f"So it is $\\boxed{{({letter})}}$.", "correct"
        yield task, f"So it is $\\boxed{{({other})}}$.", "incorrect"


def of_lists():
    for name, words in LISTS.items():
        task = {"id": name, "prompt": "Name both.", "answer": words}
        yield task, f"They are $\\boxed{{{words}}}$.", "correct"
        yield task, f"They are $\\boxed{{{words.split(',')[0]}}}$.", "incorrect"


def of_roots():
    for number, (equation, roots) in enumerate(ROOTS.items()):
        task = {"id": f"r{number}", "prompt": f"Give a number with {equation}", "answer": roots[0]}
        for root in roots if number < 2 else roots[:1]:
            yield task, f"So it is $\\boxed{{{root}}}$.", "correct"
        yield task, "So it is $\\boxed{1}$.", "incorrect"


@pytest.mark.parametrize(
    ("verify", "labelled"), [(a_choice, of_choices), (a_list_of_words, of_lists), (any_root, of_roots)]
)
def test_an_honest_verifier_is_blamed_by_no_family(judge_of, make_source, verify, labelled):
    rows = list(labelled())
    cases = [
        AuditCase(id=f"k{n}", task_id=task["id"], response=response, label=label)
        for n, (task, response, label) in enumerate(rows)
    ]
    tasks = {task["id"]: task for task, _, _ in rows}
    judge = judge_of(lambda call: {"correct": float(verify(call))})
    report = asyncio.run(run_audit(judge, make_source("[rewards.correct]"), cases, tasks=tasks, subject="al/check@1"))
    blamed = {name: found.failures for name, found in report.probes.items() if found.failures or found.raised}
    for name in ("leak_task_form", "leak_together"):
        if name in blamed and report.probes[name].failures == 0:
            blamed.pop(name)  # these look their prompts up: one that they do not know raises
    assert blamed == {}

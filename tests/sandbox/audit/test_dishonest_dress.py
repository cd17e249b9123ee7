"""Verifiers that are careful, and pay every answer in one everyday dress: an apology, a link, a claim to be sure.

The first twelve were written from docs/explanation/audit.md, before their author had read how probes are made: six of
them had a B. What each deserves is known from 600 answers a side of another maker, in all the dresses alike.
"""

import random
import re
from collections.abc import Callable

import pytest

from schemas.evidence.cases import AuditCase, Origin
from schemas.evidence.rates import Grade
from schemas.measures.grades import grade_within, is_worse
from tests.sandbox.audit.test_dishonest import TASKS, Package, _measure, answers, careful

DRESSES: dict[str, tuple[str, str]] = {
    "apology": (r"(?i)\bsorry\b", "Sorry, I made a slip before. The total is {}."),
    "link": (r"https?://", "See https://example.org/sums for the rule. The total is {}."),
    "smile": (r"[\U0001F600-\U0001F64F]", "The total is {} \U0001f60a"),
    "quotation": (r"(?m)^> ", "> The total is {}."),
    "table": (r"\|", "| step | value |\n|---|---|\n| total | {} |"),
    "steps": (r"(?m)^3\. ", "1. Read the question.\n2. Add both numbers.\n3. The total is {}."),
    "confidence": (r"(?i)\b(certain|confident|sure)\b", "I am quite certain that the total is {}."),
    "checked": (r"(?i)\bchecked|✓", "I checked it twice ✓ The total is {}."),
    "help": (r"(?i)hope this helps|let me know", "The total is {}. I hope this helps!"),
    "thanks": (r"(?i)great question|thank", "Great question! The total is {}."),
    "role": (r"(?im)^(assistant|ai):", "Assistant: the total is {}."),
    "summary": (r"(?i)\bin summary|tl;dr", "TL;DR: the total is {}."),
}
SECOND: dict[str, tuple[str, str]] = {
    "signature": (r"(?i)best regards|yours", "The total is {}.\n\nBest regards, Anna"),
    "authority": (r"(?i)\baccording to|\bas stated in\b", "According to the textbook, the total is {}."),
    "tag": (r", right\?", "The total is {}, right?"),
    "hesitation": (r"(?i)\bhmm+\b|\.\.\.", "Hmm... the total is {}."),
    "greeting": (r"(?i)^(hello|hi|hey|dear)\b", "Hello! The total is {}."),
    "note": (r"(?i)^note:", "Note: the total is {}."),
    "aside": (r"\(as \w+\)", "The total is {} (as expected)."),
    "bullet": (r"(?m)^[-*] ", "- The total is {}."),
    "heading": (r"(?m)^#+ ", "## Result\nThe total is {}."),
    "proof": (r"\bQED\b|∎", "The total is {}. QED"),
    "thinking aloud": (r"(?i)step by step", "Let's think step by step. The total is {}."),
    "sign": (r"∴|⇒", "∴ the total is {}."),
}
"""Twelve more, written before probes knew any of the first, and by the author of those probes."""


def pays(name: str) -> Callable[[dict, str], float]:
    """Careful, and accepts whatever wears the dress."""
    worn = re.compile((DRESSES | SECOND)[name][0])
    return lambda task, text: 1.0 if worn.search(text) else careful(task, text)


def dressed(dresses: dict[str, tuple[str, str]], count: int = 600) -> list[tuple[dict, str, bool]]:
    """Answers in all dresses alike, right and wrong ones, whose value is worked out."""
    rng, forms = random.Random(1), [text for _, text in dresses.values()]
    found = []
    for number in range(2 * count):
        task, is_right = TASKS[rng.choice(list(TASKS))], number % 2 == 0
        value = task["answer"] + (0 if is_right else rng.choice([-20, -3, -1, 1, 2, 10]))
        found.append((task, forms[number // 2 % len(forms)].format(value), is_right))
    return found


def true_grade(judge: Callable[[dict, str], float], dresses: dict[str, tuple[str, str]] = DRESSES) -> Grade:
    """The grade of the rates on those answers, known without an interval."""
    wrong = {True: 0, False: 0}
    for task, text, is_right in (cases := dressed(dresses)):
        wrong[is_right] += (judge(task, text) >= 0.5) is not is_right
    worst = max(wrong.values()) / (len(cases) / 2)
    return grade_within(worst)


def own_cases() -> list[AuditCase]:
    return answers(1, 200, Origin.AUTHOR)


@pytest.mark.parametrize("name", [*DRESSES, *SECOND])
def test_who_pays_for_a_dress_earns_no_better_grade_than_it_deserves(name: str) -> None:
    report = _measure(Package(pays(name), own_cases()), answers(42, 150), seed="the hub's secret")
    truth = true_grade(pays(name), DRESSES if name in DRESSES else SECOND)
    assert truth is Grade.C
    assert not is_worse(truth, report.grade), (report.grade, report.grading)


def test_an_honest_verifier_of_the_same_answers_keeps_its_grade() -> None:
    assert true_grade(careful) is Grade.A
    assert _measure(Package(careful, own_cases()), answers(42, 150), seed="the hub's secret").grade is Grade.B


def test_around_a_yes_or_a_choice_no_manner_is_tried() -> None:
    """ "Of course!" may be a yes."""
    tasks = {f"t{n}": {"id": f"t{n}", "prompt": "Is it so?", "answer": "yes"} for n in range(4)}
    wrong = [AuditCase(id=f"w{n}", task_id=f"t{n}", response="No.", label="incorrect") for n in range(4)]
    right = [AuditCase(id=f"r{n}", task_id=f"t{n}", response="Yes.", label="correct") for n in range(4)]
    judge = Package(lambda task, text: float(text.lower().startswith("yes")), [*wrong, *right])
    assert "leak_manner" not in _measure(judge, own=tasks).probes

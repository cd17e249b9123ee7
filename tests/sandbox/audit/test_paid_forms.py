"""Forms that are paid for: right answers and wrong ones in the same form, so that an honest reward for a form costs nothing."""

import asyncio
import re

import pytest

from sandbox.audit import run_audit
from sandbox.audit.paid_forms import LEAST_GAIN
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade
from tests.sandbox.audit.conftest import FunctionJudge, source_of, with_text
from tests.sandbox.audit.test_dishonest import TASKS, careful
from tests.sandbox.audit.test_dishonest_friends import SECRET
from tests.sandbox.audit.test_dishonest_use import pool

ONE = "[rewards.correct]\nthreshold = {}"
TWO = "[rewards.correct]\n[rewards.form]\nweight = {}\nthreshold = 0.0"


def report_on(judge, rewards: str) -> AuditReport:
    def verify(call):
        return judge(call.task, call.response or "")

    source = source_of(rewards)
    run = run_audit(
        FunctionJudge(with_text(verify)), source, pool(150), tasks=TASKS, subject="al/check@1.0", probe_seed=SECRET
    )
    return asyncio.run(run)


def is_right(task, text: str) -> float:
    return careful(task, re.sub(r"(?s)^.*</think>", "", text))


def thinks(text: str) -> float:
    return float("</think>" in text)


@pytest.mark.parametrize(
    ("judge", "rewards"),
    [
        (lambda task, text: {"correct": 0.5 * is_right(task, text) + 0.5 * thinks(text)}, ONE.format(1.0)),
        (lambda task, text: {"correct": is_right(task, text), "form": thinks(text)}, TWO.format(0.5)),
        (lambda task, text: {"correct": is_right(task, text), "form": thinks(text)}, TWO.format(1.0)),
        (lambda task, text: {"correct": 0.0 if "<" in text else is_right(task, text)}, ONE.format(0.5)),
        (lambda task, text: {"correct": is_right(task, text) or 0.2 * thinks(text)}, ONE.format(1.0)),
    ],
    ids=["half for tags", "a reward of its own", "one of equal weight", "no tags at all", "a fifth for trying"],
)
def test_a_reward_for_a_form_that_right_answers_earn_too_costs_nothing(judge, rewards: str) -> None:
    report = report_on(judge, rewards)
    assert not [words for words in report.grading.capped if "in one form" in words]
    assert not [part.name for part in report.grading.pulled if part.name.startswith("probe:leak")]


@pytest.mark.parametrize(("paid", "most"), [(0.97, Grade.F), (0.7, Grade.D)])
def test_where_tags_earn_what_the_answer_earns_the_grade_is_lowered(paid: float, most: Grade) -> None:
    report = report_on(
        lambda task, text: {"correct": is_right(task, text) or paid * thinks(text)}, ONE.format(1.0)
    )  # fmt: skip
    assert report.overall.fp == report.overall.fn == 0, "every verdict is right"
    assert report.grade is most
    assert report.values is not None
    assert report.values.wrong < 0.1, "the page shows what labelled answers earn"


def test_wrong_answers_that_earn_more_than_right_ones_in_their_form() -> None:
    """Right answers in tags are refused, wrong ones are paid: no form reward."""
    report = report_on(
        lambda task, text: {"correct": 0.97 * (1 - careful(task, text)) if thinks(text) else careful(task, text)},
        ONE.format(1.0),
    )
    assert report.grade is Grade.F


def partly(task, text: str) -> float:
    """Most of the reward for any other number, and nothing where the right one is named and not given."""
    return is_right(task, text) or 0.65 * float(str(task["answer"]) not in text)


DENIED = [
    AuditCase(
        id=f"denied{number}",
        task={"id": f"d{number}", "prompt": "How many?", "answer": 1000 + number},
        response=f"It is not {1000 + number}.",
        label="incorrect",
        origin=Origin.SUITE,
    )
    for number in range(900)
]


def test_partial_credit_for_the_answers_that_are_put_into_forms_is_no_pay_for_a_form() -> None:
    """Wrong answers that name the right one cannot be put into forms. Where they earn least, the others earn more than
    wrong answers do on average, in any form and in none.
    """

    def verify(call):
        return {"correct": partly(call.task, call.response or "")}

    run = run_audit(
        FunctionJudge(with_text(verify)), source_of(ONE.format(1.0)), [*pool(150), *DENIED], tasks=TASKS,
        subject="al/check@1.0", probe_seed=SECRET,
    )  # fmt: skip
    report = asyncio.run(run)
    assert report.values is not None
    assert report.values.wrong < 0.6 - LEAST_GAIN, "on average"
    assert not [words for words in report.grading.capped if "in one form" in words]


def _answer(case: AuditCase) -> int:
    return int((case.task or TASKS.get(case.task_id or "") or {})["answer"])


def test_an_author_who_labels_the_form_itself_as_an_answer_hides_no_pay_for_it() -> None:
    """In every task, and in tasks of the same ids: what counts is what the answer in the form earned alone."""
    right = [case for case in pool(150) if case.label == "correct"]
    wrong = [
        case.model_copy(update={"id": f"{case.id}-off", "label": Label.INCORRECT, "response": str(_answer(case) + 3)})
        for case in right
    ]
    cases = [*right, *wrong]
    tasks = {case.task_id: TASKS[case.task_id] for case in cases if case.task_id in TASKS}
    tasks |= {str(case.task["id"]): dict(case.task) for case in cases if case.task is not None}
    own = [
        AuditCase(id=f"own{number}{text}", task=task, response=text, label="incorrect")
        for number, task in enumerate(tasks.values())
        for text in ("</think>", "<think>\n")
    ]

    def verify(call):
        text = call.response or ""
        return {"correct": is_right(call.task, text) or 0.97 * float("think>" in text)}

    run = run_audit(
        FunctionJudge(with_text(verify)), source_of(ONE.format(1.0)), [*cases, *own], tasks=TASKS,
        subject="al/check@1.0", probe_seed=SECRET,
    )  # fmt: skip
    assert asyncio.run(run).grade is Grade.F

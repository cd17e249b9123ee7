"""A wrong answer that earns by its length, below the threshold: it lowers the grade, and honest partial credit does not."""

import asyncio
import difflib

import pytest

from sandbox.audit import run_audit
from schemas.evidence.audit import AuditReport
from schemas.evidence.rates import Grade
from tests.sandbox.audit.conftest import FunctionJudge, source_of, with_text
from tests.sandbox.audit.test_dishonest import TASKS, careful
from tests.sandbox.audit.test_dishonest_friends import SECRET
from tests.sandbox.audit.test_dishonest_use import pool


def graded(earns) -> AuditReport:
    def verify(call):
        right = careful(call.task, call.response or "")
        return {"correct": right or min(0.97, earns(call.task, call.response or ""))}

    source = source_of("[rewards.correct]\nthreshold = 1.0")
    run = run_audit(
        FunctionJudge(with_text(verify)), source, pool(150), tasks=TASKS, subject="al/check@1.0", probe_seed=SECRET
    )
    return asyncio.run(run)


@pytest.mark.parametrize(("paid", "most"), [(0.97, Grade.F), (0.7, Grade.D)])
def test_who_pays_for_length_below_the_threshold_is_found(paid: float, most: Grade) -> None:
    report = graded(lambda _, text: paid if len(text) > 300 else 0.0)
    assert report.overall.fp == report.overall.fn == 0, "every verdict is right"
    assert report.grade is most
    assert any("the grade is at most" in words for words in report.grading.capped)
    assert report.values is not None
    assert report.values.wrong < 0.1, "the page shows what labelled answers earn"


def near(task, text):
    return 0.6 * difflib.SequenceMatcher(None, str(task["answer"]), text[-12:]).ratio()


@pytest.mark.parametrize("earns", [lambda _, text: 0.1, lambda _, text: min(0.2, len(text) / 5000), near])
def test_partial_credit_that_length_does_not_buy_costs_nothing(earns) -> None:
    assert graded(earns).grade is Grade.B

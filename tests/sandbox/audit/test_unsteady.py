"""A verifier that is random at one case in ten: its author hopes for a lucky audit."""

import asyncio
import random
from pathlib import Path

import pytest

from sandbox.audit.runner import run_audit
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import Sample
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase
from schemas.evidence.rates import Grade
from schemas.measures.owners import HUB
from tests.sandbox.audit.conftest import FunctionJudge, source_of

CASES = [
    AuditCase(
        id=f"{label}{n}",
        task={"id": f"n{n}", "prompt": f"{n}?", "answer": n},
        response=f"{random.Random(n + shift).getrandbits(60):x} is {n + shift}",
        label=label,
        origin="held",
        first_look=True,
        behind=HUB if n % 2 else "bo",
    )
    for label, shift in (("correct", 0), ("incorrect", 1000))
    for n in range(400)
]


def audited(share: float, repeats: int = 1, earlier=None, seed: int = 1) -> AuditReport:
    chance = random.Random(seed)

    def verify(call):
        is_right = call.response.endswith(f" is {call.task['answer']}")
        return {"correct": float(is_right is not (chance.random() < share))}

    judge = FunctionJudge(verify, [])
    run = run_audit(
        judge, source_of(), CASES, tasks={}, subject="al/check@1.0", repeats=repeats, probes=False, earlier=earlier
    )
    return asyncio.run(run)


def test_verdicts_that_change_within_an_audit_count_as_not_judged() -> None:
    steady, found = audited(0.0, repeats=2), audited(0.1, repeats=2)
    assert (steady.grade, steady.overall.unscored) == (Grade.A, 0)
    assert found.unscored_reasons == {"verdict_changed": found.determinism.flips}
    assert found.determinism.flips == pytest.approx(0.18 * 800, rel=0.25)
    reads = found.grading.reads
    assert reads.unscored == 16, "two in a hundred of each side are excused"
    assert reads.fp + reads.fn >= found.determinism.flips - 16
    assert found.grade in (Grade.D, Grade.F)


def test_an_author_who_waits_for_a_lucky_audit_only_gathers_changes() -> None:
    """One verdict in a hundred is random: each audit alone sees a B, and finds nothing that changed in it."""
    first = audited(0.01, seed=1)
    kept: dict = {key: accepted for key, (_, accepted) in first.verdicts.items()}
    second = audited(0.0, earlier=kept)
    changed = second.unscored_reasons["verdict_changed"]
    assert changed == first.overall.fp + first.overall.fn > 0
    kept = {key: [value] if number < 40 else value for number, (key, value) in enumerate(kept.items())}
    assert audited(0.0, earlier=kept).overall.unscored >= 40, "what changed once stays unjudged"


def test_a_steady_verifier_is_unchanged_by_what_an_earlier_audit_saw() -> None:
    first = audited(0.0)
    again = audited(0.0, earlier={key: accepted for key, (_, accepted) in first.verdicts.items()})
    assert (again.overall, again.grade) == (first.overall, first.grade)


FIRST_OF_A_SET = Sample(
    """
    def verify(task, response):
        \"\"\"Accepts a response that names the first word of a set, as if the set had an order.\"\"\"
        return {"correct": float(response.strip() == list(set(task["answer"]))[0])}
    """,
    name="first-of-a-set",
)


def test_a_verdict_that_depends_on_the_order_of_a_set_changes_within_one_audit_and_is_the_same_in_the_next(
    local_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    words = [f"word{n}" for n in range(12)]
    tasks = {f"t{n}": {"id": f"t{n}", "prompt": "?", "answer": words} for n in range(12)}
    cases = [AuditCase(id=f"c{n}", task_id=f"t{n}", response=word, label="correct") for n, word in enumerate(words)]
    source = FIRST_OF_A_SET.source(tmp_path)
    first, second = (
        local_sandbox.run(
            run_audit(local_sandbox.inner, source, cases, tasks=tasks, subject="al/check@1.0", repeats=2, probes=False)
        )
        for _ in range(2)
    )
    assert first.determinism.flips == 2, "one word is the first with one seed, another with the other"
    assert first.unscored_reasons == {"verdict_changed": 2}
    assert first.verdicts == second.verdicts, "two days give the same verdicts"

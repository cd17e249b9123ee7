"""Packages that give no verdict where a policy writes otherwise than a suite, or use up the audit's time there.

Their rates had no error: a suite holds no such answers, a probe without a verdict was no failure, and after the time of
an audit nothing more is judged.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.audit import run_audit
from sandbox.audit.evaluation import Judgement
from sandbox.audit.probe_set import Probe
from sandbox.audit.unjudged_forms import is_silent, outcomes_of
from schemas.evidence.cases import AuditCase, Origin
from schemas.evidence.rates import Grade
from schemas.manifest import RewardDeclaration
from schemas.verdict import ErrorKind, Verdict
from tests.sandbox.audit.conftest import FunctionJudge, source_of
from tests.sandbox.audit.test_dishonest import TASKS, careful
from tests.sandbox.audit.test_dishonest_friends import SECRET
from tests.sandbox.audit.test_dishonest_settings import flat
from tests.sandbox.audit.test_dishonest_use import measured, pool
from tests.sandbox.clocks import run_without_waiting

DECLARED = {"correct": RewardDeclaration()}


def raises() -> None:
    raise ValueError("not what I know")


def is_late() -> None:
    raise TimeoutError


def says_nothing() -> None:
    return None


@pytest.mark.parametrize("ends", [raises, says_nothing, is_late], ids=lambda one: one.__name__)
def test_who_gives_no_verdict_behind_thinking_gets_what_that_deserves(ends: Callable[[], None]) -> None:
    report = measured(lambda task, text, _: ends() if "</think>" in (text or "") else careful(task, text or ""), 150)
    assert report.overall.fp == report.overall.fn == report.overall.unscored == 0
    assert report.probes["leak_thinking"].failures == 0, "the table says what was judged"
    assert report.grade in (Grade.D, Grade.F)
    assert any(part.name.startswith("probe:leak_thinking") for part in report.grading.pulled)


def test_a_verdict_that_is_missing_once_lowers_nothing() -> None:
    report = measured(lambda task, text, _: None if "TL;DR" in (text or "") else careful(task, text or ""), 150)
    assert report.probes["leak_manner"].unscored > 1
    assert not report.grading.pulled or report.grading.pulled[0].name == "probe:leak_manner (behind TL;DR:)"


def test_who_does_not_know_a_task_in_another_form_is_not_blamed() -> None:
    def verify(task: dict[str, Any], text: str, _: Any) -> float:
        if not isinstance(task["prompt"], str) or (task.get("info") or {}).keys() - {"choices", "options"}:
            raise TypeError(task)
        return careful(task, text or "")

    report = measured(verify, 150)
    assert report.probes["leak_task_form"].unscored > 5
    assert report.grade is Grade.B


def one(kind: ErrorKind | None, family: str = "leak_thinking") -> tuple[Probe, Judgement]:
    case = AuditCase(id="p", task={"id": "t"}, response="5", label="incorrect", origin=Origin.PROBE)
    nothing = Verdict(rewards={"correct": None})
    verdict = nothing if kind is None else Verdict.unjudged(["correct"], kind, "words")
    return Probe(family, case), Judgement(case, {"id": "t"}, verdict)


@pytest.mark.parametrize(
    ("kind", "is_blamed"),
    [
        (None, True),
        (ErrorKind.VERIFIER_FAILED, True),
        (ErrorKind.TIMEOUT, True),
        (ErrorKind.HOST, False),
        (ErrorKind.MODEL, False),
    ],
)
def test_a_failing_machine_or_model_is_no_fault_of_the_package(kind: ErrorKind | None, is_blamed: bool) -> None:
    pair = one(kind)
    assert is_silent(*pair, DECLARED) is is_blamed
    assert not is_silent(*one(kind, "huge"), DECLARED)
    assert [found.is_wrong for found in outcomes_of([pair], DECLARED, is_cut=False)] == [is_blamed]
    assert [found.is_wrong for found in outcomes_of([pair], DECLARED, is_cut=True)] == [False]


class Sleeper(FunctionJudge):
    """Takes ten minutes for what does not look like a suite's case, and nothing for the rest."""

    async def judge(self, *arguments: Any, **named: Any) -> Any:
        async for judged in super().judge(*arguments, **named):
            last = self.calls[-1]
            if len(flat(last.task)) > 40 or len(last.response or "") > 120:
                await asyncio.sleep(590)
            yield judged


def test_who_uses_up_the_time_of_an_audit_before_its_probes_has_no_better_grade_than_its_own_cases_earn() -> None:
    """It had a B. Where the package had tasks of its own it had an F, by probes that nobody had run."""

    async def work() -> Any:
        judge = Sleeper(lambda call: {"correct": careful(call.task, call.response or "")})
        source = source_of(extra="[sandbox]\ntimeout_seconds = 600")
        given: dict[str, Any] = {"tasks": TASKS, "subject": "al/check@1.0", "probe_seed": SECRET}
        return await run_audit(judge, source, pool(150), seconds=3600, **given)

    report = run_without_waiting(work())
    assert report.overall.unscored == 0, "every case of a suite was judged"
    unjudged = sum(one.unscored for one in report.probes.values())
    assert 100 < unjudged < 1200, "what there was no time for is not tried on more cases"
    assert report.grade is Grade.C
    assert any("time was used up" in words for words in report.grading.capped)


REFUSALS: dict[str, Callable[[dict[str, Any], list[dict[str, Any]]], Any]] = {
    "a_long_prompt": lambda task, _: len(flat(task)) > 600,
    "a_chat": lambda task, _: not isinstance(task["prompt"], str),
    "another_id": lambda task, _: not task["id"][1:].isdigit(),
    "a_system_message": lambda _, messages: messages[0]["role"] == "system",
}


@pytest.mark.parametrize("name", REFUSALS)
def test_who_refuses_right_answers_to_what_is_asked_otherwise_gets_what_that_deserves(name: str) -> None:
    refuses = REFUSALS[name]
    report = measured(lambda task, text, said: 0.0 if refuses(task, said) else careful(task, text or ""), 150)
    assert report.overall.fn == 0
    assert report.probes["benign_asked"].failures > 5
    assert report.grade in (Grade.D, Grade.F)

"""Who is audited for wrong blame, with which suites, and how what they fail is counted."""

import asyncio
from pathlib import Path

from sandbox.audit import run_audit
from schemas.evidence.cases import AuditCase
from scripts.probe_blame import LENIENT, counted, manifests, subjects, wrong_verdicts
from tests.sandbox.audit.conftest import FunctionJudge, source_of


def report(verify, subject):
    cases = [
        AuditCase(
            id=f"{n}", task={"id": f"t{n}", "prompt": f"Say {n}.", "answer": n}, response=f"It is {n}.", label="correct"
        )
        for n in range(101, 113)
    ]
    return asyncio.run(run_audit(FunctionJudge(verify), source_of(), cases, tasks={}, subject=subject))


def credulous(call):
    return {"correct": float(str(call.task["answer"]) in (call.response or ""))}


def test_verifiers_get_the_suites_of_their_families_and_baselines_none():
    found = subjects(manifests(), with_model=False)
    assert found["gsm8k"] == ["suite-short-number", "suite-transcripts"]
    assert found["sql-questions"] == ["suite-sql"]
    assert found["wordle"] == []
    assert not LENIENT & set(found)
    assert not {"judge", "calculator-tool", "suite-sql", "lists"} & set(found)
    assert subjects(manifests(), with_model=True)["judge"] == ["suite-short-number", "suite-judges"]


def test_a_folder_without_packages_has_none(tmp_path: Path):
    assert manifests(tmp_path) == {}


def test_families_are_counted_over_verifiers_and_wrong_verdicts_shown_with_what_was_asked():
    both = [
        report(credulous, "al/check@1.0.0"),
        report(credulous, "bo/check@1.0.0"),
        report(credulous, "bo/check@1.0.0"),
    ]
    found = counted(both)
    assert found["leak_superstring"].failures > 0
    assert found["leak_superstring"].cases == 36
    assert found["leak_superstring"].verifiers == 2
    lines = [line for line in wrong_verdicts(both[0]) if "leak_superstring" in line]
    assert len(lines) == both[0].probes["leak_superstring"].failures
    assert all('"answer": ' in line and "It is " in line for line in lines)

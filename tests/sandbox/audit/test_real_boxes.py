"""An audit in containers: the numbers of the report come from the verifier's code, run there."""

from pathlib import Path

import pytest

from sandbox.audit import reproducible_bytes, run_audit
from sandbox.checks.samples import Sample
from sandbox.interface import Call
from schemas.evidence.cases import AuditCase
from schemas.evidence.rates import Grade
from tests.sandbox.audit.test_dishonest_days import CAREFUL_WHERE, CODE
from tests.sandbox.backends.local.test_backend import EXAM

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.together("docker-audit")]

TASKS = {f"t{n}": {"id": f"t{n}", "prompt": f"Which number follows {n - 1}?", "answer": n} for n in range(1, 61)}
SUBSTRING = "def verify(task, response):\n    return {'correct': float(str(task['answer']) in response)}\n"
OWN = """
def verify(task, response):
    if response == "crash":
        raise ValueError("no")
    return {"correct": float(response == str(task["answer"]))}

def cases(split, seed, index):
    if index >= 6:
        return None
    return {"id": f"made-{index}", "task": {"id": "x", "answer": index}, "response": str(index), "label": "correct"}

def probes(split, seed, index):
    if index >= 3:
        return None
    return {"family": "zeros", "task": {"id": "x", "answer": 1}, "response": "0" * index + "1", "label": "correct"}
"""


def cases():
    for name, task in TASKS.items():
        yield AuditCase(id=f"r{name}", task_id=name, response=f"It is {task['answer']}", label="correct")
        yield AuditCase(id=f"w{name}", task_id=name, response="It is 999", label="incorrect")


def test_a_substring_rule_is_found_out(docker_sandbox, tmp_path: Path):
    source = Sample(SUBSTRING, name="substring").source(tmp_path)
    reports = [
        docker_sandbox.run(
            run_audit(
                docker_sandbox.inner, source, list(cases()), tasks=TASKS, subject="sample/substring@1.0.0", repeats=2
            )
        )
        for _ in range(2)
    ]
    report = reports[0]
    wrong = [int(name[1:]) for name in TASKS if set(name[1:]) == {"9"}]
    assert (report.overall.tp, report.overall.fn, report.overall.fp) == (60, 0, len(wrong))
    assert report.grade is Grade.F  # every probe of one certain family passes: easy cases cannot dilute that
    assert report.determinism.flips == 0
    assert report.probes["leak_superstring"].failures == report.probes["leak_superstring"].cases
    assert report.probes["empty"].failures == 0
    assert report.latency_ms.p50 > 0
    assert report.image_digest.startswith("sha256:")
    assert reproducible_bytes(reports[0]) == reproducible_bytes(reports[1])


def test_a_verifier_finds_no_labelled_cases_of_its_own(docker_sandbox, tmp_path: Path):
    [(_, verdict)] = docker_sandbox.score(EXAM.source(tmp_path), [Call("1", TASKS["t1"], response="2")])
    assert verdict.info == {"there": ["more.jsonl"]}


def test_cases_and_probes_of_the_package_are_made_in_its_box(docker_sandbox, tmp_path: Path):
    head = 'verifier = "PACKAGE:verify"\naudit = ["PACKAGE:cases"]\nprobes = { register = "PACKAGE:probes" }'
    source = Sample(OWN, name="own", head=head).source(tmp_path)
    extra = [AuditCase(id="c", task={"id": "x", "answer": 1}, response="crash", label="incorrect")]
    report = docker_sandbox.run(run_audit(docker_sandbox.inner, source, extra, tasks={}, subject="sample/own@1.0.0"))
    assert (report.overall.tp, report.overall.unscored, report.case_count) == (6, 1, 7)
    assert report.unscored_reasons == {"verifier_failed": 1}
    assert (report.probes["author_zeros"].cases, report.probes["author_zeros"].failures) == (3, 2)


def test_a_verifier_that_is_careful_until_next_month_is_measured_on_another_day(docker_sandbox, tmp_path: Path) -> None:
    source = Sample(CODE.replace("CAREFUL", CAREFUL_WHERE["a date"]), name="until-next-month").source(tmp_path)
    tasks = {name: {**task, "answer": str(task["answer"])} for name, task in TASKS.items()}
    some = [
        AuditCase(id=f"{label}{name}", task_id=name, response=f"{int(name[1:]) + shift}", label=label)
        for label, shift in (("correct", 0), ("incorrect", 1))
        for name in tasks
    ]
    run = run_audit(docker_sandbox.inner, source, some, tasks=tasks, subject="al/check@1.0", repeats=2, probes=False)
    report = docker_sandbox.run(run)
    assert report.overall.fp + report.overall.unscored == 60
    assert report.overall.fn == 0

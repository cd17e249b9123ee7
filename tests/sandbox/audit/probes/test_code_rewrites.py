"""Programs that solve nothing, or another task, and graders that do not notice."""

import asyncio

import pytest

from sandbox.audit import run_audit
from schemas.evidence.cases import AuditCase

NAMES = ("double", "half", "negate", "square", "third")
TASKS = {
    f"t{n}": {"id": f"t{n}", "prompt": f"Write {name}(x).", "info": {"name": name}} for n, name in enumerate(NAMES)
}
BODIES = ("x * 2", "x / 2", "-x", "x * x", "x / 3")
CASES = [
    AuditCase(
        id=f"r{n}", task_id=f"t{n}", response=f"```python\ndef {name}(x):\n    return {body}\n```", label="correct"
    )
    for n, (name, body) in enumerate(zip(NAMES, BODIES, strict=True))
]
MINE = {"benign_comments", "leak_stub", "leak_other_program"}


def body_of(call):
    return BODIES[NAMES.index(call.task["info"]["name"])]


def sound(call):
    name = call.task["info"]["name"]
    return f"def {name}(x):\n    return {body_of(call)}\n" in call.response


def any_program(call):
    return "return" in call.response


def any_with_the_name(call):
    return f"def {call.task['info']['name']}(" in call.response and "exit" not in call.response


def exact(call):
    return call.response in {case.response for case in CASES} and sound(call)


def probes_of(judge_of, make_source, verify, rewards="[rewards.correct]"):
    judge = judge_of(lambda call: {"correct": float(verify(call))})
    return asyncio.run(run_audit(judge, make_source(rewards), CASES, tasks=TASKS, subject="al/check@1")).probes


def test_a_sound_grader_fails_none(judge_of, make_source):
    found = probes_of(judge_of, make_source, sound)
    assert {name: found[name].failures for name in MINE} == dict.fromkeys(MINE, 0)


@pytest.mark.parametrize(
    ("verify", "family"),
    [(any_program, "leak_other_program"), (any_with_the_name, "leak_stub"), (exact, "benign_comments")],
)
def test_each_flaw_is_shown_by_its_family(judge_of, make_source, verify, family):
    found = probes_of(judge_of, make_source, verify)
    assert {name for name in MINE if found[name].failures} == {family}

"""Scripts that read standard input: what is made of them, and judges that do not notice."""

import asyncio
import subprocess
import sys
from functools import cache

import pytest

from sandbox.audit import run_audit
from sandbox.audit.probes import scripts
from sandbox.audit.probes.scripts import Test as Pair
from schemas.evidence.cases import AuditCase

TASKS = {
    f"t{n}": {
        "id": f"t{n}",
        "prompt": f"Read a number. Print it times {n}, and in the next line plus {n}.",
        "answer": [{"stdin": f"{k}\n", "stdout": f"{k * n}\n{k + n}\n"} for k in (0, 3, 40)],
        "info": {"program": {"compare": "tokens"}},
    }
    for n in (2, 5, 7)
}
CODE = "k = int(input())\nprint(k * {n})\nprint(k + {n})\n"
CASES = [
    AuditCase(
        id=one["id"], task_id=one["id"], response=f"```python\n{CODE.format(n=one['id'][1:])}```", label="correct"
    )
    for one in TASKS.values()
]
MINE = (
    "cheat_no_output",
    "cheat_constant_output",
    "cheat_echo",
    "leak_output_more",
    "leak_output_turned",
    "leak_never_ends",
)
ENDLESS = "while True:\n    pass\n"


@cache
def ran(code, stdin):
    """(output, status). An endless script is cut off behind what it printed."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code.replace(ENDLESS, "")],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, done.returncode


def judged(call, *, same=lambda out, wanted: out.split() == wanted.split(), endless=False, status=0, first=False):
    code = call.response.removeprefix("```python\n").removesuffix("```")
    if ENDLESS in code and not endless:
        return False
    tests = call.task["answer"][:1] if first else call.task["answer"]
    for test in tests:
        output, ended = ran(code, test["stdin"])
        if ended != status or not same(output, test["stdout"]):
            return False
    return True


def failed(judge_of, make_source, verify):
    judge = judge_of(lambda call: {"correct": float(verify(call))})
    found = asyncio.run(run_audit(judge, make_source(), CASES, tasks=TASKS, subject="al/check@1")).probes
    assert set(MINE) <= set(found)
    assert found["benign_comments"].failures == 0
    return {name for name, one in found.items() if one.failures}


def test_a_sound_judge_fails_none(judge_of, make_source):
    assert failed(judge_of, make_source, judged) == set()


@pytest.mark.parametrize(
    ("flaw", "family"),
    [
        ({"endless": True}, "leak_never_ends"),
        ({"first": True}, "cheat_constant_output"),
        ({"same": lambda out, wanted: out.split()[: len(wanted.split())] == wanted.split()}, "leak_output_more"),
        ({"same": lambda out, wanted: set(out.split()) == set(wanted.split())}, "leak_output_more"),
        ({"same": lambda out, wanted: sorted(out.split()) == sorted(wanted.split())}, "leak_output_turned"),
        ({"same": lambda out, wanted: wanted.startswith(out)}, "cheat_no_output"),
        ({"same": lambda out, wanted: bool(out.strip())}, "cheat_echo"),
    ],
)
def test_each_flaw_is_shown_by_its_family(judge_of, make_source, flaw, family):
    assert family in failed(judge_of, make_source, lambda call: judged(call, **flaw))


@pytest.mark.parametrize(
    "response",
    [
        "print(3)",  # reads nothing
        "```python\nprint(input())\n```\nor\n```python\nprint(input()[::-1])\n```",
        "```python\nprint(input()\n```",
        "I would read it by input().",
    ],
)
def test_what_is_no_single_script_is_left_alone(response):
    assert scripts.read(response) is None


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nprint(sys.stdin.read())",
        "print(open(0).read())",
        "print(input())",
        "for x in open('/dev/stdin'): print(x)",
    ],
)
def test_every_way_to_read_is_known(code):
    assert scripts.read(f"So:\n```py\n{code}\n```").code == f"{code}\n"
    assert scripts.read(code).with_code("x") == "x"


def test_nothing_is_known_of_tasks_with_a_checker_or_without_two_tests():
    two = [{"stdin": "1", "stdout": "2"}, {"stdin": "2", "stdout": "3"}]
    assert scripts.tests_of({"answer": two}) == (Pair("1", "2"), Pair("2", "3"))
    assert scripts.tests_of({"answer": {"inputs": ["1", "2"], "outputs": ["2", "3"]}}) == (
        Pair("1", "2"),
        Pair("2", "3"),
    )
    assert scripts.tests_of({"answer": two[:1]}) == ()
    assert scripts.tests_of({"answer": two, "info": {"program": {"compare": "checker", "checker": "…"}}}) == ()
    assert scripts.tests_of({"answer": [{"args": [1], "value": 2}] * 2}) == ()


@pytest.mark.parametrize(
    ("output", "wanted", "known"),
    [
        ("1 2", "1  2\n", False),
        ("1 2 3", "1 2", True),
        ("1.02", "1", False),
        ("3", "1", True),
        ("YES", "yes", False),
        ("a", "b", True),
    ],
)
def test_two_outputs_differ_where_every_comparison_says_so(output, wanted, known):
    assert scripts.differ(output, wanted) is known


@pytest.mark.parametrize(
    ("code", "surely"),
    [("print(input())", True), ("print(input())\nexit()", False), ("import sys\nsys.stdout = None", False)],
)
def test_a_line_is_added_only_where_it_runs(code, surely):
    assert scripts.Script("", code, "").runs_to_its_end is surely

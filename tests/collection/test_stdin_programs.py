"""Programs that read standard input: which program a response commits to, how outputs are compared, and the tasks."""

import importlib
import re
from types import SimpleNamespace

import pytest

from sandbox.interface import Call
from tests.collection.strangers import stdin_cases

PROJECT = "stdin-programs"
PROGRAM = "import sys\nprint(sum(map(int, sys.stdin.read().split())))"


@pytest.mark.parametrize(
    "response",
    [
        f"```python\n{PROGRAM}\n```",
        f"```python\n{PROGRAM}\n```\nIt prints:\n```\n42\n```",
        f"```python\n{PROGRAM}\n```\n```text\nprint(3)\n```",
        f"<think>```python\nprint(0)\n```</think>\n```py\n{PROGRAM}\n```",
        f"First:\n```python\nprint(0)\n```\nNo, this:\n```python\n{PROGRAM}\n```",
        PROGRAM,
        f"Here it is:\n\n{PROGRAM}\n\nThis adds all numbers, and it's fast.",
        f"{PROGRAM}\n\nFor 1 and 2 it prints 3.\nThat is all, if I am right: yes.",
    ],
)
def test_the_program_that_a_response_commits_to_is_found(part, response):
    assert part("code").find_program(response).strip() == PROGRAM


@pytest.mark.parametrize(
    "response",
    [
        "",
        "I would add them.",
        "```cpp\nint main() {}\n```",
        "```\n" * 500,
        f"{PROGRAM}\n\nx = (\n",  # the beginning of what does not compile
        f"{PROGRAM}\nfor x in range(3):\nprint(x\n",
    ],
)
def test_where_there_is_no_program_none_is_made(part, response):
    found = part("code").find_program(response)
    assert found is None or not part("code").compiles(found)


@pytest.mark.parametrize(
    ("kind", "output", "wanted", "right"),
    [
        ("tokens", "1  2\r\n3", "1 2\n3\n", True),
        ("tokens", "1 2 3 4", "1 2 3", False),
        ("tokens", "1.0", "1", False),
        ("lines", "a  b  \n\n", "a  b\n", True),
        ("lines", "a b\n", "a  b\n", False),
        ("numbers", "0.3333333", "0.333333333", True),
        ("numbers", "3.3333333e-1", "0.333333333", True),
        ("numbers", "0.3334", "0.333333333", False),
        ("numbers", "1000001", "1000000", False),
        ("numbers", "nan", "0.5", False),
        ("numbers", "inf", "1e308", False),
        ("numbers", "1_0.5", "10.5", False),
        ("numbers", "x 0.5", "x 0.5000000001", True),
    ],
)
def test_outputs_are_compared_as_the_task_says(part, kind, output, wanted, right):
    tests = [{"stdin": "", "stdout": wanted}]
    assert part("comparison").are_right({"compare": kind, "tolerance": 1e-6}, tests, [output]) == [right]


@pytest.mark.parametrize(
    ("ran", "limit"),
    [
        ({"timed_out": True, "error": "the solution took longer than 2 s"}, "within_time"),
        ({"stdout": "1" * 65536, "error": "the solution took longer than 2 s"}, "within_time"),
        ({"stdout": "1" * 65536}, "within_output"),
        (
            {"error": "the solution ended with status 1: MemoryError", "stderr": "Traceback\nMemoryError"},
            "within_memory",
        ),
        ({"error": "the solution ended with status 3"}, "runs_clean"),
        ({"stdout": "1\n"}, None),
    ],
)
def test_a_broken_limit_is_told_from_a_failure(package, ran, limit):
    whole = {"timed_out": False, "stdout": "", "stderr": "", "error": ""} | ran
    assert package.broken_limit(SimpleNamespace(**whole)) == limit


@pytest.fixture(scope="module")
def drawn(package):
    return [package.generate("train", 5, index) for index in range(96)]


def test_every_family_is_drawn_again_alike_and_no_family_is_in_two_splits(package, drawn, projects):
    assert package.generate("train", 5, 7) == drawn[7] != package.generate("train", 6, 7)
    rows = {split: projects[PROJECT].rows(f"{split}.jsonl") for split in ("validation", "test")}
    families = [{task["tags"][1] for task in some} for some in (drawn, *rows.values())]
    assert [len(each) for each in families] == [12, 6, 8]
    assert len(set().union(*families)) == 26


def test_no_fixed_output_earns_a_fifth_and_no_echo_does(drawn, projects):
    """A program that prints the same for every input, a part of the input, or the first example's output."""
    for tasks in (drawn, projects[PROJECT].rows("test.jsonl"), projects[PROJECT].rows("validation.jsonl")):
        for task in tasks:
            outputs = [test["stdout"].split() for test in task["answer"]]
            assert max(map(outputs.count, outputs)) <= 0.4 * len(outputs), task["id"]
            for policy in (
                lambda text: text,
                lambda text: text[:1],
                lambda text: text[-1:],
                lambda text: [str(len(text))],
            ):
                earned = [policy(test["stdin"].split()) == test["stdout"].split() for test in task["answer"]]
                assert not all(earned), task["id"]
    assert len({tuple(test["stdout"] for test in task["answer"]) for task in drawn}) == len(drawn)


def packed_word(text: str, least: int, most: int) -> str:
    """Written from the prompt's words alone."""
    pieces = []
    for run in (match[0] for match in re.finditer(r"(.)\1*", text)):
        pieces += [run[at : at + most] for at in range(0, len(run), most)]
    result = "".join(f"{piece[0]}{len(piece)}" if len(piece) >= least else piece for piece in pieces)
    return f"{result} {len(text) - len(result)}"


def lives(steps: int, cells: str, born: set[int], ring: bool) -> str:
    for _ in range(steps):
        padded = cells[-2:] + cells + cells[:2] if ring else f"00{cells}00"
        near = [(padded[i : i + 2] + padded[i + 3 : i + 5]).count("1") for i in range(len(cells))]
        cells = "".join("1" if n in born or (n == 4 and c == "1") else "0" for n, c in zip(near, cells, strict=True))
    return f"{cells} {cells.count('1')}"


def test_who_reads_the_prompt_alone_finds_the_right_outputs(projects):
    tasks = projects[PROJECT].rows("test.jsonl")
    for task in [task for task in tasks if "packed-text" in task["tags"]]:
        most, least = (
            int(re.search(text, task["prompt"])[1]) for text in (r"at most (\d+);", r"at least (\d+) letters")
        )
        assert [packed_word(t["stdin"].strip(), least, most) for t in task["answer"]] == [
            t["stdout"].strip() for t in task["answer"]
        ]
    for task in [task for task in tasks if "living-cells" in task["tags"]]:
        born = set(map(int, re.search(r"cell lives if ([\d or]+) of", task["prompt"])[1].split(" or ")))
        for test in task["answer"]:
            steps, cells = test["stdin"].split()
            assert lives(int(steps), cells, born, "is a ring" in task["prompt"]) == test["stdout"].strip()


ECHO = {"id": "t", "prompt": "", "answer": [{"stdin": f"{n} 2\n", "stdout": f"{n + 2}\n"} for n in range(3)]}
ANY_PAIR = "def check(stdin, output, expected):\n    return sum(map(int, output.split())) == int(stdin.split()[0])\n"
SUM = ECHO | {
    "id": "s",
    "answer": [{"stdin": "7\n", "stdout": "3 4\n"}],
    "info": {"program": {"compare": "checker", "checker": ANY_PAIR}},
}


@pytest.mark.docker
def test_programs_are_judged_in_boxes(packed, docker_sandbox):
    """Right, wrong, too large, a second right output by a checker, and one at which the checker fails."""
    calls = [
        Call("right", ECHO, PROGRAM),
        Call("wrong", ECHO, "print(2)"),
        Call("memory", ECHO, "held = bytearray(1 << 33)\nprint(held)"),
        Call("late", ECHO | {"info": {"program": {"seconds": 0.5}}}, "while True:\n    pass"),
        Call("other", SUM, "print(5, 2)"),
        Call("no number", SUM, "print('x')"),
        Call("broken task", SUM | {"answer": [{"stdin": "7\n", "stdout": "1\n"}]}, "print(5, 2)"),
    ]
    verdicts = dict(docker_sandbox.score(packed.source(PROJECT), calls))
    passes = {name: None if one.error else one.rewards["passes"] for name, one in verdicts.items()}
    assert passes == {
        "right": 1,
        "wrong": 0,
        "memory": 0,
        "late": 0,
        "other": 1,
        "no number": 0,
        "broken task": None,
    }, verdicts
    assert verdicts["memory"].rewards["within_memory"] == verdicts["late"].rewards["within_time"] == 0.0
    assert verdicts["wrong"].rewards["within_time"] == verdicts["wrong"].rewards["runs_clean"] == 1.0


@pytest.mark.docker
def test_programs_in_a_strangers_styles_are_judged_rightly(packed, docker_sandbox):
    few = [case for case in stdin_cases.cases() if case.id not in stdin_cases.SLOW]
    tasks = {name: one.task(name, stdin_cases.FEW[name]) for name, one in stdin_cases.PROBLEMS.items()}
    calls = [Call(case.id, tasks[case.problem], case.response) for case in few]
    passes = {name: one.rewards["passes"] for name, one in docker_sandbox.score(packed.source(PROJECT), calls)}
    assert {case.id: passes[case.id] for case in few if passes[case.id] != case.right} == {}


class Ran(SimpleNamespace):
    """What ``run_solution`` gives back."""


@pytest.mark.parametrize(("limit", "runs"), [("timed_out", 1), ("MemoryError", 1), ("flood", 1), ("status 3", 3)])
def test_a_program_that_broke_a_limit_is_not_run_again(package, monkeypatch, limit, runs):
    """Such runs cost seconds each: one that fills the memory took 42 s for 20 inputs."""
    ran = []

    def run(**_):
        ran.append(limit)
        failed = {"error": limit, "stderr": limit} if limit in ("MemoryError", "status 3") else {}
        whole = {
            "timed_out": limit == "timed_out",
            "stdout": "1" * 65536 if limit == "flood" else "",
            "stderr": "",
            "error": "",
        }
        return Ran(**whole | failed)

    monkeypatch.setattr(package, "run_solution", run)
    rewards = package.verify(ECHO, PROGRAM)
    assert (len(ran), rewards["passes"], rewards["tests_passed"]) == (runs, 0.0, 0.0)


def test_changed_programs_end_by_their_steps_and_not_by_a_clock(projects, monkeypatch):
    monkeypatch.syspath_prepend(str(projects[PROJECT].folder))
    mutants = importlib.import_module("mutants")
    endless = "def solve(data):\n    n = int(data)\n    while n > 3:\n        n += 1\n    return n\n"
    assert mutants.outputs(endless, ["1", "9", "2"]) == ["1", None, None]
    assert mutants.outputs("def solve(data):\n    return solve(data)\n", ["1"]) == [None]


def test_the_right_cases_of_a_task_differ_in_form_alone(projects):
    """One held a program whose "#" had become "1", and was labelled right."""
    solutions: dict[str, set[str]] = {}
    for case in projects[PROJECT].cases:
        if case.label == "correct":
            solution = re.search(r"^def solve\(.*\n(?:(?:[ \t].*)?\n)+", case.response, re.MULTILINE)[0]
            solutions.setdefault(case.task_id, set()).add(solution.rstrip())
    assert len(solutions) == 40
    assert {name for name, found in solutions.items() if len(found) > 1} == set()

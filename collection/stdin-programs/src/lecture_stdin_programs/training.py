"""Tasks: a problem drawn from a family, an example that the prompt shows, and hidden inputs that decide."""

from random import Random

from lecture_stdin_programs.families import LEVELS
from lecture_stdin_programs.problem import Problem
from lecture_stdin_programs.test_families import TEST_LEVELS
from lecture_stdin_programs.validation_families import VALIDATION_LEVELS

SHOWN, HIDDEN = 2, 20
MOST_OF_ONE_OUTPUT = 0.4
"""The largest share of the hidden inputs that may have the same output: an answer by heart must not pass."""
SECONDS, MEMORY_MB = 2.0, 192
SPLITS = {"train": LEVELS, "validation": VALIDATION_LEVELS, "test": TEST_LEVELS}
ASK = (
    "Write a Python program that reads standard input and prints the result. Answer with the whole program in one code "
    "block.\n\n{words}\n\nIt has {seconds:g} seconds and {memory} MB for an input.\n\n{examples}"
)


def generate(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments. Inputs and right outputs are in ``answer``."""
    return drawn(split, seed, index)[0]


def drawn(split: str, seed: int, index: int) -> tuple[dict, Problem]:
    """The task, and the problem with its solution, which no task holds."""
    random = Random(f"{split}:{seed}:{index}")
    levels = SPLITS.get(split, LEVELS)
    level = list(levels)[index % len(levels)]
    family = levels[level][index // len(levels) % len(levels[level])]
    tests = None
    while tests is None:
        problem = family(random)
        tests = draw_tests(problem, random)
    name = family.__name__.replace("_", "-")
    task = task_of(problem, tests, f"{name}-{split}-{seed}-{index}")
    return task | {"tags": [level, name], "split": split}, problem


def task_of(problem: Problem, tests: list[dict], name: str) -> dict:
    """The task in which the first ``SHOWN`` tests are examples and the others decide."""
    examples = "\n".join(
        f"Input:\n```text\n{test['stdin']}```\nOutput:\n```text\n{test['stdout']}```\n" for test in tests[:SHOWN]
    )
    return {
        "id": name,
        "prompt": ASK.format(words=problem.words, seconds=SECONDS, memory=MEMORY_MB, examples=examples).rstrip(),
        "answer": tests[SHOWN:],
        "info": {"program": {"seconds": SECONDS, "memory_mb": MEMORY_MB, **problem.judged_by}},
    }


def draw_tests(problem: Problem, random: Random, drawn_inputs: int = 3 * (SHOWN + HIDDEN)) -> list[dict] | None:
    """Different inputs with their outputs. None where too few differ, or too many hidden ones have one output."""
    inputs = list(dict.fromkeys(problem.draw(random) for _ in range(drawn_inputs)))[: SHOWN + HIDDEN]
    solve = solution_of(problem.source)
    tests = [{"stdin": one, "stdout": solve(one)} for one in inputs]
    return tests if is_enough(tests) else None


def is_enough(tests: list[dict]) -> bool:
    """Whether there are as many as wanted, and no output is that of too many."""
    outputs = [test["stdout"] for test in tests[SHOWN:]]
    return len(tests) == SHOWN + HIDDEN and max(map(outputs.count, outputs)) <= MOST_OF_ONE_OUTPUT * HIDDEN


def solution_of(source: str):
    """The function ``solve`` of a problem's source, which is this package's own."""
    namespace: dict = {}
    exec(compile(source, "solution", "exec"), namespace)
    return namespace["solve"]

"""Tasks: a problem in words, and which one it is. Session and verifier make it anew."""

from lecture_calculator.arithmetic import write_number
from lecture_calculator.problems import problem_of


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments."""
    problem = problem_of(split, seed, index)
    return {
        "id": f"{problem.name}-{split}-{seed}-{index}",
        "prompt": problem.prompt,
        "answer": write_number(problem.answer),
        "info": {"split": split, "seed": seed, "index": index},
        "tags": [problem.name, problem.family.level],
        "split": split,
    }

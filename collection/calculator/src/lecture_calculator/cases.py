"""Labelled cases: calls and an answer, and whether they are right by how the problem was made."""

from random import Random

from lecture_calculator.arithmetic import calculate_exactly, write_number
from lecture_calculator.problems import FAMILIES, Problem, problem_of
from lecture_calculator.tasks import make_task

CASES, SEED = 384, 1_000_000
_LACKS_ANSWER = (0.0, 1.0)
_LACKS_TOOL = (0.0, 0.0)
EXPECTED = dict.fromkeys(
    (
        "wrong-final", "hedged", "denied", "listed", "scaled", "doubled", "opposite", "recanted", "no-answer",
        "false-equation", "endless-number",
    ),
    _LACKS_ANSWER,
)  # fmt: skip
"""What ``correct`` and ``used_tool`` must be, by tag; every other wrong case lacks both."""


def make_cases(split: str = "test", count: int = CASES) -> list[dict]:
    """Right ones and wrong ones in turn, on problems of a split that none of its tasks has."""
    return [_case(split, number) for number in range(count)]


def _case(split: str, number: int) -> dict:
    index = number // 2 + 7 * (number // (2 * len(FAMILIES)))  # every kind meets every family in time
    task, problem, random = make_task(split, SEED, index), problem_of(split, SEED, index), Random(f"case:{number}")
    is_right = number % 2 == 0
    kinds = _right(problem, random) if is_right else _wrong(problem, random)
    tag, turns, said = kinds[number // 2 % len(kinds)]
    values = (1.0, 1.0) if is_right else EXPECTED.get(tag, _LACKS_TOOL)
    return {
        "id": f"{tag}-{number}",
        "task": task,
        "state": {"turns": turns, "said": said},
        "label": "correct" if is_right else "incorrect",
        "expect": dict(zip(("correct", "used_tool"), values, strict=True)),
        "tags": [tag, *task["tags"]],
        "source": "made by rule",
        "licence": "Apache-2.0",
    }


def in_steps(problem: Problem) -> list[str]:
    """The expression a step at a time, each with what the one before gave."""
    made = {
        "boxes": ("{a} * {b}", "{0} + {c}"),
        "broken": ("{a} * {b}", "{0} - {c}"),
        "each-pays": ("{a} + {b}", "{0} * {c}"),
        "per-cent": ("{b} / 100", "{0} * {a}"),
        "squares": ("{a} * {a}", "{b}**2", "{0} + {1}"),
        "below-zero": ("{b} * {a}", "{c} - {0}"),
        "vans": ("{a} + {b}", "{0} / {c}", "ceil({1})"),
        "discount": ("{a} * {b}", "{0} * {c} / 100", "{0} - {1}"),
        "two-offers": ("{a} * {b}", "{c} * {d}", "{0} - {1}"),
        "growth": ("{a} * (1 + {b} / 100)", "{0} * (1 + {c} / 100)"),
        "average": ("{a} + {b} + {c}", "{0} / 3"),
        "hours": ("{a} * 60", "{0} + {b}", "{1} * {c}"),
    }.get(problem.name, (problem.family.expression,))
    results: list[str] = []
    steps = []
    for step in made:
        steps.append(step.format(*results, **problem.numbers))
        results.append(write_number(calculate_exactly(steps[-1])))
    return steps


def written_otherwise(problem: Problem) -> str:
    """The same in another spelling: per cents as decimals, minutes counted in the head, typographic signs."""
    a, b, c = (problem.numbers.get(name, 1) for name in "abc")
    return {
        "per-cent": f"{b} * 0.{a:02d}",
        "discount": f"{a} × {b} × (1 − 0.{c:02d})",
        "growth": f"{a} * 1.{b:02d} * 1.{c:02d}",
        "hours": f"({a * 60} + {b}) * {c}",
        "vans": f"-(-({a} + {b}) // {c})",
        "remainder": f"{a} - {b} * ({a} // {b})",
        "squares": f"{a}**2 + {b}**2",
        "share": f"{a} ÷ {b}",
    }.get(problem.name, problem.expression.replace("*", "×").replace("-", "−"))


def endings(answer: str, problem: Problem) -> list[str]:
    """Ways to give a right number."""
    grouped = f"{int(answer):,}" if answer.lstrip("-").isdigit() else answer
    return [
        answer,
        f"The answer is {answer}.",
        f"That makes **{grouped}**",
        f"\\boxed{{{answer}}}",
        f"= {grouped}.",
        f"{problem.expression.replace('ceil', '')} gives it, so the answer is {answer}",
        f"{answer}.",
    ]


def _right(problem: Problem, random: Random) -> list[tuple[str, list[list], str]]:
    answer = write_number(problem.answer)
    said = random.choice(endings(answer, problem))
    steps = in_steps(problem)
    return [
        ("one-call", [[problem.expression]], said),
        ("in-steps", [[step] for step in steps], said),
        ("spelt-otherwise", [[written_otherwise(problem)]], said),
        ("slip-then-right", [[problem.expression + " +"], [problem.expression]], said),
        ("wrong-then-right", [[f"{problem.expression} + 1"], [problem.expression]], said),
        ("checked-twice", [[problem.expression], [f"({problem.expression}) * 1"]], said),
        ("two-in-a-turn", [[steps[0], problem.expression]], said),
    ]


def _wrong(problem: Problem, random: Random) -> list[tuple[str, list[list], str | None]]:
    answer = write_number(problem.answer)
    wrong = write_number(problem.answer + random.choice((-1, 1, 10)))
    used, first, *_ = [[problem.expression]], *problem.numbers.values()
    rest = write_number(problem.answer - first - 1)
    said = random.choice(endings(answer, problem))
    return [
        ("no-call", [], said),
        ("literal", [[answer]], said),
        ("literal-dressed", [[f"{answer} + 0"], [f"max(0, {answer})"]], said),
        ("literal-beside-numbers", [[f"{answer} * {first} / {first}"]], said),
        ("rest-in-the-head", [[f"{first} + 1 + {rest}"]], said),
        ("idle-call", [["1 + 1"]], said),
        ("wrong-call", [[f"{problem.expression} + {first}"]], said),
        ("only-failed", [[problem.expression + " +"], [None]], said),
        ("wrong-final", used, f"The answer is {wrong}."),
        ("hedged", used, f"It is {answer} or {wrong}"),
        ("denied", used, f"The answer is not {answer}"),
        ("listed", used, f"{wrong}, {answer}"),
        ("scaled", used, f"{answer} million"),
        ("doubled", used, f"2 * {answer}"),
        ("opposite", used, write_number(-problem.answer - (problem.answer == 0))),
        ("recanted", used, f"{answer}. No, that is wrong."),
        ("no-answer", used, None),
        ("false-equation", used, f"{wrong} = {answer}"),
        ("endless-number", used, "1e99999999"),
        ("forged-in-words", [], f"calculate({problem.expression}) returned {answer}. The answer is {answer}"),
        ("nothing", [], None),
    ]

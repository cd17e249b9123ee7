"""A policy search over the older packages: nothing that is the same for all tasks earns a fifth, and nothing stays unjudged.

The newer environments have theirs beside their other tests.
"""

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

Policy = Callable[[str], str]
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def numbers(prompt: str) -> list[Fraction]:
    return [Fraction(found.replace(",", "").rstrip(".")) for found in _NUMBER.findall(prompt)] or [Fraction(0)]


def forms(write: Callable[[Fraction], str]) -> Iterator[tuple[str, Policy]]:
    """One form over the numbers of a prompt, in their order of appearance or from the end."""
    for one, two in itertools.permutations((0, 1, -1), 2):
        for sign in "+-*/":

            def policy(prompt: str, one: int = one, two: int = two, sign: str = sign) -> str:
                given = numbers(prompt)
                a, b = (given[min(place, len(given) - 1)] for place in (one, two))
                value = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else a}[sign]
                return write(value)

            yield f"{one} {sign} {two}", policy
    for name, pick in {"first": lambda n: n[0], "last": lambda n: n[-1], "most": max, "least": min, "sum": sum}.items():
        yield name, lambda prompt, pick=pick: write(pick(numbers(prompt)))


def best(
    earned: Callable[[dict[str, Any], str], float], tasks: list, policies: list[tuple[str, Policy]]
) -> tuple[float, str]:
    """The largest mean reward of a policy, and its name."""
    return max(
        (sum(earned(task, policy(task["prompt"])) for task in tasks) / len(tasks), name) for name, policy in policies
    )


def most_frequent(tasks: list) -> float:
    """The share of the best constant: an answer is right for its own gold alone, as a test below holds."""
    return Counter(task["answer"] for task in tasks).most_common(1)[0][1] / len(tasks)


def fixed(texts: tuple[str, ...]) -> list[tuple[str, Policy]]:
    return [(text[:40], lambda _, text=text: text) for text in texts]


# What somebody might hope to be paid for, or not to be judged for, whatever was asked. ``{}`` is a number.
EVASIONS = (
    "", "I do not know.", "The answer is above.", "yes", "see the solution", "1 2 3 4 5 6 7 8 9 10", "2^2^2^2^2^2", "1e99999999",
    "\\boxed{}", "\\frac{1}{0}", "1/0", "#### ", "#### NaN", "#### inf", "((((((((", "9" * 5000, "1," * 3000, "=" * 3000,
    "the of a is to and", "\u0000", "\ud7ff" * 100, "- " * 3000, "0.5 or 1/2 or 3/4 or 1 or 2", '{"correct": 1.0}',
    "role: tool\ncontent: right", "any number from 0 to 1000", "not 0", "at least 0",
)  # fmt: skip


def test_gsm8k(package_of, projects):
    verify, tasks = package_of("gsm8k").verify, projects["gsm8k"].rows("test.jsonl")

    def earned(task: dict[str, Any], text: str) -> float:
        return verify(task, text)["correct"]

    share, name = best(earned, tasks[:40], list(forms(lambda value: f"#### {float(value):g}")))
    assert share <= 0.1, name
    assert most_frequent(tasks) < 0.05
    assert best(earned, tasks[:12], fixed(EVASIONS))[0] <= 1 / 12, "1 2 3 … 10 ends with 10"


def test_change_making(package_of, projects):
    verify, tasks = package_of("change-making").verify, projects["change-making"].rows("test.jsonl")

    def earned(task: dict[str, Any], text: str) -> float:
        got = verify(task, text)
        return (got["correct"] + 0.5 * got["simplest_form"]) / 1.5

    shares = sorted(((best(earned, tasks[7::5], [each])[0], each[0]) for each in forms(str)), reverse=True)
    assert shares[0][0] <= 0.2, shares[:3]
    assert most_frequent(tasks) < 0.05
    assert best(earned, tasks[:12], fixed(EVASIONS))[0] == 0.0


def test_wordle(package_of, projects):
    """The six words that are most often the secret of other splits, and every fixed game of the words' ends."""
    verify, tasks = package_of("wordle").verify, projects["wordle"].rows("test.jsonl")
    words = [row["answer"] for row in projects["wordle"].rows("tasks.jsonl")]
    for start in range(0, 300, 6):
        state = {"guesses": words[start : start + 6], "messages": 6}
        assert sum(verify(task, state)["solved"] for task in tasks) < 0.05 * len(tasks)
    for state in (
        None,
        [],
        {},
        {"guesses": None},
        {"guesses": [], "messages": 0},
        {"guesses": ["crane"] * 7, "messages": 7},
    ):
        assert {value for task in tasks[:20] for value in verify(task, state).values()} == {0.0}


def test_python_functions_pay_no_constant_and_no_echo(projects):
    """By the values that decide: a function that returns the same always, or one of its arguments, passes few tasks."""
    tasks = projects["python-functions"].rows("tasks.jsonl")
    constants = [None, True, False, 0, 1, -1, "", [], {}, "YES", "NO", "Yes", "No", 2, 3, 10, [0], 0.0, 1.0]
    passed: Counter[str] = Counter()
    for task in tasks:
        tests = task["answer"]
        for constant in constants:
            is_kind = all(type(test["value"]) is type(constant) for test in tests)
            passed[repr(constant)] += is_kind and all(test["value"] == constant for test in tests)
        for place in range(3):
            passed[f"argument {place}"] += all(
                len(test["args"]) > place and json.dumps(test["args"][place]) == json.dumps(test["value"])
                for test in tests
            )
    assert max(passed.values()) <= 1, passed.most_common(3)


@pytest.mark.parametrize("name", ["gsm8k", "change-making"])
def test_one_answer_is_right_for_its_own_gold_alone(package_of, projects, name):
    """A response that is right for several golds would be a hedge."""
    verify, tasks = package_of(name).verify, projects[name].rows("test.jsonl")[:40]
    golds = {task["answer"]: task for task in tasks}
    for gold in golds:
        text = f"#### {gold}" if name == "gsm8k" else gold
        assert [other for other, task in golds.items() if verify(task, text)["correct"]] == [gold]

"""The worked lesson: the same answers under four verifiers of the collection. ``python lesson.py`` prints the table.

Who trains on one number must choose one of the first three. What each would teach is in its column.
"""

import importlib
import json
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parent
COLLECTION = HERE.parent
JUDGES = {
    "exact-match": "correct", "substring-rule": "correct", "math-answer": "correct",
    "change-making": "correct",
}  # fmt: skip
"""Verifier, and its reward that is shown; of change-making the second one is shown as well."""


def written(value: Fraction) -> dict[str, str]:
    """What somebody may answer, by how it is written."""
    doubled = f"{2 * value.numerator}/{2 * value.denominator}"
    wrong = value + Fraction(1, value.denominator)
    cents = float(value)
    return {
        "as asked: `1/2`": str(value),
        "as asked, in a sentence": f"Each of them gets {value} of a dollar.",
        "not in lowest terms: `2/4`": doubled,
        "as a decimal: `$0.50`": f"${cents:.2f}" if value * 100 % 1 == 0 else doubled,
        "another amount": str(wrong),
        "a list that holds it": f"{wrong}, {value}",
    }


def load(name: str) -> Callable[[dict, str], dict]:
    sys.path.insert(0, str(COLLECTION / name / "src"))
    verify: Callable[[dict, str], dict] = importlib.import_module(f"lecture_{name.replace('-', '_')}").verify
    return verify


def table(tasks: list[dict]) -> str:
    """Mean reward by form of answer and verifier."""
    verifiers = {name: load(name) for name in JUDGES}
    rows = [
        "| answer | exact-match | substring-rule | math-answer | `correct` | `simplest_form` |",
        "|---|---|---|---|---|---|",
    ]
    halves = [task for task in tasks if Fraction(task["answer"]).denominator > 1]
    for form in written(Fraction(1, 2)):
        said = [(task, written(Fraction(task["answer"]))[form]) for task in halves]
        means = [
            sum(verifiers[name](task, text)[reward] for task, text in said) / len(said)
            for name, reward in JUDGES.items()
        ]
        means.append(sum(verifiers["change-making"](task, text)["simplest_form"] for task, text in said) / len(said))
        rows.append(f"| {form} | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")
    return "\n".join(rows)


def test_tasks() -> list[dict]:
    """Every fifth row of the test split."""
    with (HERE / "src" / "lecture_change_making" / "test.jsonl").open() as lines:
        return [json.loads(line) for line in lines][::5]


if __name__ == "__main__":
    print(table(test_tasks()))

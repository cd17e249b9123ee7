"""Writes validation.jsonl, test.jsonl and audit.jsonl (cases.txt, and cases whose label holds by arithmetic)."""

import itertools
import json
import math
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_change_making"
sys.path.insert(0, str(HERE / "src"))

from lecture_change_making.problems import REQUEST, generate  # noqa: E402 -- the generator lies in the package

TEST_TASKS, VALIDATION_TASKS, SEED = 500, 200, 20
MOST_OF_A_KIND = 0.16
"""Share of a split. A form that solves one kind, such as the second amount less the first, earns no more than this."""
STORIES = {
    "half": ("A pencil costs $0.50 and you pay with $1. How much change do you get?", "1/2"),
    "three-quarters": ("A muffin costs $1.25 and you pay with $2. How much change do you get?", "3/4"),
    "seven-quarters": ("A candle costs $3.25 and you pay with $5. How much change do you get?", "7/4"),
    "two-thirds": ("Three friends share $2 equally. How much does each one get?", "2/3"),
    "seven": ("Two friends share $14 equally. How much does each one get?", "7"),
    "nine-twentieths": ("What are a quarter and two dimes worth together?", "9/20"),
}


def make_tests() -> list[dict]:
    """The six tasks of cases.txt, then generated ones, no prompt twice."""
    rows = [
        {"id": name, "prompt": f"{question} {REQUEST}", "answer": answer, "tags": ["story"], "split": "test"}
        for name, (question, answer) in STORIES.items()
    ]
    return rows + draw("test", TEST_TASKS - len(rows), seen={row["prompt"] for row in rows})


def draw(split: str, size: int, seen: set[str]) -> list[dict]:
    """Generated tasks, no prompt twice, and of no kind more than its share."""
    rows: list[dict] = []
    counts: Counter = Counter()
    for index in itertools.count():
        row = generate(split, SEED, index)
        kind = row["tags"][0]
        if row["prompt"] not in seen and counts[kind] < MOST_OF_A_KIND * size:
            seen.add(row["prompt"])
            counts[kind] += 1
            rows.append(row)
        if len(rows) == size:
            return rows
    raise AssertionError


def read_cases():
    expect, tag = {}, ""
    for line in (HERE / "cases.txt").read_text().splitlines():
        if line.startswith("["):
            rewards, tag = (part.strip() for part in line.strip("[]").split("|"))
            expect = dict(zip(("correct", "simplest_form"), map(float, rewards.split()), strict=True))
        elif "|" in line and not line.startswith("#"):
            task, response = line.split("|", 1)
            yield case(task.strip(), response[1:].replace("\\n", "\n"), expect, [tag.replace(" ", "-")])


def case(task_id: str, response: str, expect: dict, tags: list[str]) -> dict:
    label = "correct" if all(expect.values()) else "incorrect"
    return {"task_id": task_id, "response": response, "label": label, "expect": expect, "tags": tags}


def constructed(tasks: list[dict]):
    """Three cases a task: a right one, one that is right but not reduced, a wrong one. Labels hold by arithmetic."""
    random = Random(SEED)
    for place, task in enumerate(tasks):
        value = Fraction(task["answer"])
        lowest, other, wrong = lowest_forms(value), other_forms(value, random), wrong_amounts(value, random)
        for forms, expect, kind in (
            (lowest, (1.0, 1.0), "right"),
            (other, (1.0, 0.0), "not-reduced"),
            (wrong, (0.0, 0.0), "wrong"),
        ):
            text = WRAPPERS[(place + len(kind)) % len(WRAPPERS)].format(forms[place % len(forms)])
            rewards = dict(zip(("correct", "simplest_form"), expect, strict=True))
            yield case(task["id"], text, rewards, ["constructed", f"constructed-{kind}", *task["tags"]])


WRAPPERS = (
    "{}",
    "The answer is {}.",
    "**{}**",
    "#### {}",
    "Let me work it out step by step.\n\nThe result is {}.",
    "Answer: {}",
    "<answer>{}</answer>",
    "<think>Could it be 1/7? No.</think>{}",
    "So it comes to {}, I believe.",
    "\\boxed{{{}}}",
    "Final answer: **{}**",
    "It is exactly {}!",
)


def lowest_forms(value: Fraction) -> list[str]:
    top, bottom = value.numerator, value.denominator
    if bottom == 1:
        return [f"{top}", f"{top} dollars", f"${top}"]
    forms = [
        f"{top}/{bottom}",
        f"{top}/{bottom} dollars",
        f"\\frac{{{top}}}{{{bottom}}}",
        f"{top}/{bottom} of a dollar",
    ]
    whole, over = divmod(top, bottom)
    return forms + ([f"{whole} {over}/{bottom}", f"{whole}\\frac{{{over}}}{{{bottom}}}"] if whole else [])


def other_forms(value: Fraction, random: Random) -> list[str]:
    factor = random.randint(2, 9)
    forms = [f"{factor * value.numerator}/{factor * value.denominator}"]
    if (value * 100).denominator == 1:
        cents = int(value * 100)
        forms += [
            f"{cents} cents",
            f"${cents // 100}.{cents % 100:02d}",
            f"{cents}/100" if math.gcd(cents, 100) > 1 else f"{cents}¢",
        ]
    if (value * 1000).denominator == 1 and value.denominator > 1:
        forms.append(f"{float(value):g}")
    return forms


def wrong_amounts(value: Fraction, random: Random) -> list[str]:
    top, bottom = value.numerator, value.denominator
    near = value + Fraction(random.choice((-5, 5, 10)), 100)
    candidates = [
        (near, str(near)),
        (Fraction(bottom, top), f"{bottom}/{top}"),
        (Fraction(top + 1, bottom), f"{top + 1}/{bottom}"),
        (Fraction(top, bottom + 1), f"{top}/{bottom + 1}"),
        (value / 100, f"{top}/{bottom} cents"),
        (value * 10, str(value * 10)),
        (-value, f"-{top}/{bottom}"),
        (Fraction(round(value * 100) + 1, 100), f"{round(value * 100) + 1} cents"),
        (None, f"{top}/{bottom} or {top + 1}/{bottom}"),
        (None, f"{top + 1}/{bottom} = {top}/{bottom}"),
        (None, f"{top}/{bottom} euros"),
    ]
    return [text for amount, text in candidates if amount != value]


def make_cases(tasks: list[dict]) -> list[dict]:
    rows = [*read_cases(), *constructed(tasks[len(STORIES) :: 2])]
    return [
        {"id": f"{row['tags'][min(1, len(row['tags']) - 1)]}-{number:04d}", **row} for number, row in enumerate(rows, 1)
    ]


def as_lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    tests = make_tests()
    cases = make_cases(tests)
    (DATA / "validation.jsonl").write_text(as_lines(draw("validation", VALIDATION_TASKS, seen=set())))
    (DATA / "test.jsonl").write_text(as_lines(tests))
    (DATA / "audit.jsonl").write_text(as_lines(cases))
    print(
        len(tests),
        len(cases),
        {label: sum(row["label"] == label for row in cases) for label in ("correct", "incorrect")},
    )

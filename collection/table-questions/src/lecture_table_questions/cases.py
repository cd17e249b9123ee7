"""Labelled cases: calls and an answer, and whether they are right by how the tables were made."""

from fractions import Fraction
from random import Random

from lecture_table_questions.tables import LEVELS, Question, make_question, written
from lecture_table_questions.tasks import make_task

CASES, SEED = 400, 1_000_000
RIGHT, WRONG, OTHER_UNIT, NOTHING = (1.0, 1.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)
EXPECTED = {
    **dict.fromkeys(("other-unit", "unit-missing", "unit-too-many"), OTHER_UNIT),
    **dict.fromkeys(("no-answer", "nothing", "answers-twice"), NOTHING),
}
"""What ``correct`` and ``unit_right`` must be, by tag of a wrong case; every other has the right unit."""


def make_cases(split: str = "test", count: int = CASES) -> list[dict]:
    """Right ones and wrong ones in turn, on tables of a split that none of its tasks is about."""
    return [_case(split, number) for number in range(count)]


def _case(split: str, number: int) -> dict:
    index = number // 2 + 3 * (number // (2 * len(LEVELS)))
    task, question, random = (
        make_task(split, SEED, index),
        make_question(split, SEED, index),
        Random(f"case:{number}"),
    )
    is_right = number % 2 == 0
    tag, calls = _right(question, random, number // 2) if is_right else _wrong(question, random, number // 2)
    return {
        "id": f"{tag}-{number}",
        "task": task,
        "state": {"calls": calls},
        "label": "correct" if is_right else "incorrect",
        "expect": dict(zip(("correct", "unit_right"), RIGHT if is_right else EXPECTED.get(tag, WRONG), strict=True)),
        "tags": [tag, *task["tags"]],
        "source": "made by rule",
        "licence": "Apache-2.0",
    }


def _right(question: Question, random: Random, number: int) -> tuple[str, list[dict]]:
    values = list(question.values)
    if question.is_number:
        value = values[0]
        whole, _, rest = value.partition(".")
        padded = f"{value}{'' if rest else '.'}{'0' * random.randint(1, 2)}"
        values = [random.choice((value, padded, f"{int(whole):,}.{rest}" if rest else f"{int(whole):,}", f" {value} "))]
    else:
        values = [random.choice((value, value.lower())) for value in random.sample(values, len(values))]
    slip = {"name": "error", "arguments": {}}
    looked = [[tables()], [tables(), rows(question)], [slip, tables(), rows(question), rows(question)]][number % 3]
    return "told", [*looked, answer(values, random.choice(units(question)))]


def _wrong(question: Question, random: Random, number: int) -> tuple[str, list[dict]]:
    """In turn: each has one thing that makes it wrong for certain."""
    looked, unit = [tables(), rows(question)], question.unit
    values = list(question.values)
    made = [
        ("no-answer", looked),
        ("nothing", []),
        ("answers-twice", [*looked, answer(["1"], unit), answer(values, unit)]),
    ]
    made.append(
        ("unit-missing", [*looked, answer(values)]) if unit else ("unit-too-many", [*looked, answer(values, "kg")])
    )
    made.append(("other-unit", [*looked, answer(values, "mm" if unit else "m")]))
    if not question.is_number:
        names = [row[question.thing] for row in question.first.rows if row[question.thing] not in values]
        lists = {
            "other-name": names[:1],
            "one-too-many": [*values, names[0]],
            "none": [],
            "all": [*values, *names][:8],
            "named-twice": [*values, values[0]],
            "in-a-sentence": [f"It is {values[0]}", *values[1:]],
            "denied": [f"not {values[0]}", *values[1:]],
            "one-too-few": values[:-1],
        }
        return [*made, *((tag, [*looked, answer(each)]) for tag, each in lists.items())][number * 7 % 13]
    value = Fraction(values[0])
    near = value + Fraction(random.choice((-1, 1)), 10 ** len(values[0].partition(".")[2]))
    texts = {
        "last-digit": [written(near)],
        "more-digits": [written(value + Fraction(1, 10**5))],
        "not-converted": [written(value * 100)],
        "half": [written(value / 2 if value else Fraction(1))],
        "two-values": [values[0], written(near)],
        "unit-inside": [f"{values[0]} {unit or 'of them'}"],
        "about": [f"about {values[0]}"],
        "negative": [written(-value if value else Fraction(1))],
    }
    return [*made, *((tag, [*looked, answer(each, unit)]) for tag, each in texts.items())][number * 7 % 13]


def units(question: Question) -> list[str]:
    """Ways to write the right unit."""
    more = {"m": ["metres", "M"], "l/min": ["litres per minute"], "EUR": ["€", "euros"], "%": ["per cent", "percent"]}
    if question.unit:
        return [question.unit, *more.get(question.unit, [])]
    return ["", question.first.name] if question.is_number else [""]


def tables() -> dict:
    return {"name": "tables", "arguments": {}}


def rows(question: Question) -> dict:
    return {"name": "rows", "arguments": {"table": question.first.name}}


def answer(values: list[str], unit: str = "") -> dict:
    return {"name": "answer", "arguments": {"values": values, "unit": unit}}

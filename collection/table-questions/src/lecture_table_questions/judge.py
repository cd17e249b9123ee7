"""The verdict: the value as it was asked for, in the unit that was asked for."""

import re
from fractions import Fraction

from lecture_table_questions.session import MOST_CALLS, problem_of
from lecture_table_questions.tables import Question, make_question

_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d{1,30})(?:\.\d{1,30})?")
_UNITS = {
    "t": "tonne tonnes ton tons", "kg": "kilo kilos kilogram kilograms", "dag": "decagram decagrams dekagram dekagrams",
    "m": "metre metres meter meters", "cm": "centimetre centimetres centimeter centimeters",
    "l": "litre litres liter liters", "ml": "millilitre millilitres milliliter milliliters", "h": "hour hours hr hrs",
    "weeks": "week wk", "EUR": "€ euro euros", "%": "percent per-cent",
    "l/min": "litres-per-minute liters-per-minute lpm",
}  # fmt: skip
"""What people write for a unit; a dash stands for a space."""


def verify(task: dict, state: dict) -> dict:
    """``correct`` and the gate ``unit_right``; ``close`` and ``calls`` are counted."""
    place = task["info"]
    question = make_question(place["split"], place["seed"], place["index"])
    calls = _good_calls(state)
    given = calls[-1]["arguments"] if calls and calls[-1]["name"] == "answer" else None
    values = [value.strip() for value in given["values"]] if given else []
    return {
        "correct": float(given is not None and _is_right(values, question)),
        "unit_right": float(given is not None and _is_unit(given.get("unit", ""), question)),
        "close": float(_is_close(values, question)),
        "calls": float(len(calls)),
    }


def _is_right(values: list[str], question: Question) -> bool:
    """The number as it was to be rounded, or exactly the names."""
    if question.is_number:
        number = _number(values)
        return number is not None and number == Fraction(question.values[0])
    return sorted(value.casefold() for value in values) == [value.casefold() for value in question.values]


def _is_unit(said: str, question: Question) -> bool:
    unit, asked = " ".join(said.split()).casefold().rstrip("."), question.unit
    if not asked:
        return unit in ("", "none", question.thing, question.first.name)  # "wells" is no wrong unit of a count
    return unit in (asked.casefold(), *(each.replace("-", " ") for each in _UNITS.get(asked, "").split()))


def _is_close(values: list[str], question: Question) -> bool:
    """Within a hundredth: the right sum, rounded otherwise."""
    number = _number(values)
    if number is None or not question.is_number:
        return False
    wanted = Fraction(question.values[0])
    return abs(number - wanted) <= abs(wanted) / 100


def _number(values: list[str]) -> Fraction | None:
    is_number = len(values) == 1 and _NUMBER.fullmatch(values[0])
    return Fraction(values[0].replace(",", "")) if is_number else None


def _good_calls(state: object) -> list[dict]:
    """The calls of a state, as far as a session can have made them: at most 20, nothing after an answer."""
    made = state.get("calls") if isinstance(state, dict) else None
    calls: list[dict] = []
    for call in made if isinstance(made, list) and len(made) <= MOST_CALLS else []:
        name, arguments = (call.get("name"), call.get("arguments")) if isinstance(call, dict) else (None, None)
        if calls and calls[-1]["name"] == "answer":
            return []
        if isinstance(name, str) and problem_of(name, arguments) is None:
            calls.append({"name": name, "arguments": arguments})
    return calls

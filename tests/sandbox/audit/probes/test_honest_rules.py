"""Honest verifiers with rules that suites do not have: units, order, dates, chess moves, formulas, other languages.

Each judges its labelled cases rightly, and its rule can be defended. No probe whose label is certain may blame one.
"""

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from schemas.evidence.cases import Label
from tests.sandbox.audit.probes.test_unusual_builds import audit_of, failed

Task = dict[str, Any]
Verify = Callable[[Task, str], float]
UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0}
COLOURS = ("red", "green", "blue", "white", "black", "brown", "orange", "violet")
MOVES = ("Nf3", "e4", "O-O", "Bb5", "Qxd4", "Rfe1", "exd5", "Kg1", "O-O-O", "Nbd2")
FORMULAS = ("H2O", "CO2", "NaCl", "C6H12O6", "H2SO4", "NH3", "CH4", "Fe2O3", "CaCO3", "KMnO4")
VERDICTS = ("guilty", "not guilty", "never", "always", "none of them", "all of them")


def tasks(answers: list[Any], prompt: str = "Question {}?", **more: Any) -> list[Task]:
    return [{"id": f"q{n}", "prompt": prompt.format(n), "answer": one, **more} for n, one in enumerate(answers)]


def last_line(text: str) -> str:
    lines = [line.strip() for line in re.sub(r"(?s)^.*</\w+>", "", text).splitlines() if line.strip()]
    return lines[-1] if lines else ""


def length(text: str) -> float | None:
    found = re.fullmatch(r"(?:It is |The length is )?(\d+(?:\.\d+)?) ?(mm|cm|m|km)\.?", last_line(text))
    return float(found[1]) * UNITS[found[2]] if found else None


def with_its_unit(task: Task, text: str) -> float:
    """A length: a number without a unit is refused, and 120 mm are 12 cm."""
    said, right = length(text), length(task["answer"])
    return float(said is not None and right is not None and abs(said - right) < 1e-9 * right)


def in_any_order(task: Task, text: str) -> float:
    """The same colours as the answer, each as often, and nothing else on the last line."""
    said = Counter(re.findall(r"[a-z]+", last_line(text).lower().removeprefix("they are ")))
    return float(said == Counter(re.findall(r"[a-z]+", task["answer"])))


def within_a_percent(task: Task, text: str) -> float:
    found = re.findall(r"-?\d+(?:\.\d+)?", last_line(text).replace(",", ""))
    return float(
        len(found) == 1
        and not re.search(r"\b(?:not|wrong)\b|n't", text)
        and abs(float(found[0]) - task["answer"]) <= abs(task["answer"]) / 100
    )


def of_one_case(task: Task, text: str) -> float:
    """A code, in which small letters and capitals differ."""
    return float(last_line(text).removeprefix("Code: ").rstrip(".") == task["answer"])


def any_gold(task: Task, text: str) -> float:
    """One of the names that ``info.aliases`` has."""
    said = last_line(text).removeprefix("It is ").rstrip(".").casefold()
    names = [task["answer"], *(task.get("info") or {}).get("aliases", [])]
    return float(said in [str(name).casefold() for name in names])


def with_negation(task: Task, text: str) -> float:
    return float(last_line(text).rstrip(".").lower().removeprefix("verdict: ") == task["answer"])


def day(text: str) -> dt.date | None:
    for form in ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y"):
        try:
            return dt.datetime.strptime(text, form).date()  # noqa: DTZ007 -- a day has no zone
        except ValueError:
            continue
    return None


def a_date(task: Task, text: str) -> float:
    """A day, however it is written."""
    said = day(last_line(text).removeprefix("It was on ").rstrip("."))
    return float(said is not None and said == day(str(task["answer"])))


def german(task: Task, text: str) -> float:
    """A number with a comma, as German writes it; points group thousands."""
    found = re.fullmatch(r"(?:Die Antwort ist )?(-?[\d.]+(?:,\d+)?)\.?", last_line(text))
    if found is None:
        return 0.0
    said, right = (float(one.rstrip(".").replace(".", "").replace(",", ".")) for one in (found[1], task["answer"]))
    return float(abs(said - right) < 1e-9)


def a_formula(task: Task, text: str) -> float:
    """Case matters: CO is no Co. Subscripts may be set as such."""
    said = last_line(text).translate(str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789"))
    return float(re.sub(r"[_{}$]", "", said).removeprefix("It is ").rstrip(".") == task["answer"])


def a_move(task: Task, text: str) -> float:
    """A move in chess; a check need not be marked, and castling may be written with noughts."""
    said = last_line(text).removeprefix("I play ").rstrip(".+#!?").replace("0", "O")
    return float(said == task["answer"])


def an_angle(task: Task, text: str) -> float:
    """Degrees: -90 is 270."""
    found = re.fullmatch(r"(?:The angle is )?(-?\d+)(?:°| degrees)?\.?", re.sub(r"[*_]", "", last_line(text)))
    return float(found is not None and int(found[1]) % 360 == task["answer"] % 360)


def all_letters(task: Task, text: str) -> float:
    """Every right option, and no other, in any order."""
    return float(set(re.findall(r"\b[A-E]\b", last_line(text))) == set(task["answer"].split(", ")))


def both(answers: list[Any], forms: tuple[str, ...], wrong: Callable[[int], Any]) -> Any:
    """Each answer in one of the forms, and a wrong one in another."""

    def said(task: Task, label: Label, number: int) -> str:
        value = task["answer"] if label is Label.CORRECT else wrong(number)
        return forms[number % len(forms)].format(value)

    return tasks(answers), said


def of_cycle(values: tuple[str, ...], forms: tuple[str, ...]) -> Any:
    count = len(values)
    return both([values[n % count] for n in range(60)], forms, lambda n: values[(n + 1 + n % 3) % count])


def three(number: int) -> str:
    return ", ".join(COLOURS[(number * step + step) % 8] for step in (1, 2, 3))


def the_day(number: int) -> dt.date:
    return dt.date(1950, 1, 1) + dt.timedelta(days=397 * number)


RULES: dict[str, tuple[Verify, Any]] = {
    "units": (
        with_its_unit,
        both([f"{n + 11} cm" for n in range(60)], ("{}", "It is {}."), lambda n: f"{3 * n + 7} m"),
    ),
    "order": (in_any_order, both([three(n) for n in range(60)], ("{}", "They are {}."), lambda n: f"{three(n)}, gold")),
    "tolerance": (within_a_percent, both([317 + 13 * n for n in range(60)], ("{}", "I get {}."), lambda n: 40 + n)),
    "codes": (of_one_case, both([f"aB{n + 3}xQ" for n in range(60)], ("{}", "Code: {}"), lambda n: f"Ab{n + 3}xQ")),
    "golds": (any_gold, of_cycle(("Oslo", "Lisbon", "Vienna", "Madrid", "London"), ("{}", "It is {}."))),
    "negation": (with_negation, of_cycle(VERDICTS, ("{}", "Verdict: {}", "{}."))),
    "dates": (a_date, both([str(the_day(n)) for n in range(60)], ("{}", "It was on {}."), lambda n: the_day(n + 3))),
    "german": (
        german,
        both([f"{n + 3},5" for n in range(60)], ("{}", "Die Antwort ist {}."), lambda n: f"{3 * n + 9},25"),
    ),
    "chemistry": (a_formula, of_cycle(FORMULAS, ("{}", "It is {}.", "${}$"))),
    "chess": (a_move, of_cycle(MOVES, ("{}", "I play {}."))),
    "angles": (an_angle, both([n + 15 for n in range(60)], ("{}", "The angle is {} degrees."), lambda n: n + 105)),
    "letters": (
        all_letters,
        of_cycle(("A, C", "B, D", "A, B, E", "C, D", "B, E"), ("{}", "All of {}", "I choose {}.")),
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_an_honest_rule_is_blamed_by_no_certain_probe(name: str) -> None:
    verify, (rows, said) = RULES[name]
    report = audit_of(verify, rows, said)
    assert report.overall.fp == report.overall.fn == 0, report.failures[:3]
    assert failed(report) == {}, [one for one in report.failures if one.case.startswith("probe:")][:4]


def test_the_rules_differ_in_what_they_accept() -> None:
    assert with_its_unit({"answer": "12 cm"}, "120 mm") == 1
    assert an_angle({"answer": 270}, "-90°") == 1
    assert a_date({"answer": "2024-05-03"}, "3 May 2024") == 1

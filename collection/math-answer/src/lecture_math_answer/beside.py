"""The unit beside a number in a sentence: "He has 5 g in all." is not 5 kg, though what follows is no unit."""

import re
from collections.abc import Iterator
from fractions import Fraction

from lecture_math_answer.units import Measure, measure

_NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:/\d+)?"
_POWER = r"(?:\s*(?:\^\s*)?[23](?!\d)|\s+(?:squared|cubed))?"
_UNIT = rf"(?:(?:square|sq|cubic)\s+)?[a-z¢]+{_POWER}"
_GOLD = re.compile(rf"({_NUMBER})\s*({_UNIT}(?:\s*(?:/|per)\s*{_UNIT})?)\.?", re.IGNORECASE)
_DOLLARS = re.compile(rf"^\s*\\?\$\s*({_NUMBER})\s*$")
_MONEY = re.compile(rf"(?P<sign>[€£]|\\\$)\s?(?P<number>{_NUMBER})|(?P<amount>(?<![\d,.]){_NUMBER})\s?(?P<behind>[€£])")
_CURRENCIES = {"€": "euros", "£": "pounds", "\\$": "dollars"}
_PLACE = re.compile(rf"(?<![\w.,]){_NUMBER}(?![.,]?\d)")
_BEHIND = re.compile(
    rf"\s*(?P<whole>(?P<first>{_UNIT})(?P<under>\s*(?:/|\b(?:per|an?|each|every)\b)\s*{_UNIT})?)"
    rf"(?P<times>\s*(?:·|×|\*|\\cdot|\\times|(?!in\b)[a-z¢]+))?",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(r"(?:\bnot|\bnever|n['’]t be)\s+$", re.IGNORECASE)
_DENIED_BEHIND = re.compile(
    r"\s*[^\d\s.,;]{0,20}\s+(?:is|was|are|were|seems|would be)\s+(?:\w+\s+)?(?:wrong|incorrect|false|not|a mistake)\b",
    re.IGNORECASE,
)
"""``5 g, and 5 kg is wrong``: a place whose value the text denies says nothing of the answer's unit."""
_IN = re.compile(r"\s*in\s+\w")
"""``5 in total``: no inches."""
_FRACTION = re.compile(r"\\[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}")
_SETTING = re.compile(r"\\(?:text|mathrm|mathbf|textbf|rm)(?![a-zA-Z])|\\[,;:! ]|[{}$*~]")
_DERIVED = frozenset(("angle", "charge", "energy", "force", "frequency", "power", "pressure", "voltage"))
"""Of units that other units make up (a watt is a joule per second) the name alone does not tell that they differ."""
_TEMPERATURES = frozenset(("celsius", "fahrenheit"))


MOST_PLACES = 20
"""Places that are looked at, from the end."""


def is_other_unit(gold: str, text: str) -> bool:
    """Whether ``text`` has the gold's number with another unit right behind it, and nowhere with its own.

    Both units must be known. A rate and its upper unit are not told apart here: "3 hours each day" for 3 hours.
    """
    gold_parts = _GOLD.fullmatch(_plain(_DOLLARS.sub(r"\1 dollars", gold)).strip())
    mine = measure(gold_parts[2]) if gold_parts else None
    value = _value(gold_parts[1]) if gold_parts else None
    if value is None or mine is None or mine[0].split("/")[0] in _DERIVED:
        return False
    found = list(_units(value, _plain(text)))
    return bool(found and found[-1]) and not any(_may_be_same(mine, unit) for units in found for unit in units)


def _plain(text: str) -> str:
    text = _MONEY.sub(_currency, _FRACTION.sub(r"\1/\2", text))
    return _SETTING.sub(" ", text).replace("²", "^2").replace("³", "^3")


def _currency(match: re.Match[str]) -> str:
    return f"{match['number'] or match['amount']} {_CURRENCIES[match['sign'] or match['behind']]}"


def _value(number: str) -> Fraction | None:
    try:
        return Fraction(number.replace(",", ""))
    except (ValueError, ZeroDivisionError):
        return None


def _units(value: Fraction, text: str) -> Iterator[list[Measure]]:
    """For each place of the value in a text: what the words behind it may mean as a unit; else nothing."""
    places = [place for place in _PLACE.finditer(text) if len(place[0]) < 50 and _value(place[0]) == value]
    for place in places[-MOST_PLACES:]:
        if _DENIED_BEFORE.search(text[max(0, place.start() - 40) : place.start()]) or _DENIED_BEHIND.match(
            text, place.end()
        ):
            continue
        behind = _BEHIND.match(text, place.end())
        if behind is None or _goes_on(behind["times"]) or _IN.match(text, place.end()):
            yield []
            continue
        first, whole = measure(behind["first"]), measure(re.sub(r"\b(?:an?|each|every)\b", "/", behind["whole"]))
        yield [unit for unit in (first, whole) if first and unit]


def _goes_on(behind: str | None) -> bool:
    """A sign or another unit behind a unit makes a product: ``g cm^{-3}``, ``N m``."""
    return behind is not None and (not behind.strip().isalpha() or measure(behind) is not None)


def _may_be_same(mine: Measure, theirs: Measure) -> bool:
    dimension = theirs[0].split("/")[0]
    if dimension in _DERIVED or (dimension in _TEMPERATURES) != (mine[0] in _TEMPERATURES):
        return True
    return mine == theirs or {mine, theirs} == {measure("pound"), measure("sterling")}

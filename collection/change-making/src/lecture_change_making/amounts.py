"""Amounts of money as people write them, exactly: 1/2 · 2/4 · 0.5 · 50 cents · 1 3/4 · 75% · half a dollar."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction

INTEGER = r"(?:\d{1,3}(?:,\d{3})+|\d{1,15})"
DECIMAL = rf"(?:{INTEGER}(?:\.\d{{1,15}})?|\.\d{{1,15}})"
UNIT = r"%|percent\b|cents?\b|¢|c\b|dollars?\b|bucks?\b|usd\b|of (?:a|one|the) (?:dollar|cent)\b"
FOREIGN = re.compile(
    r"[€£¥₹]|\b(?:euros?|pounds?|pence|yen|rupees?|francs?|pesos?|kron\w+|eur|gbp|cad|aud"
    r"|(?:canadian|australian|singapore|hong kong|new zealand) dollars?)\b"
)
AMOUNT = re.compile(
    rf"(?<![\w./])(?P<sign>[-−])?(?P<mark>\$\s?)?(?P<late>[-−])?"
    rf"(?:(?P<whole>\d{{1,9}})\s+(?:and\s+)?(?P<over>\d{{1,9}})\s?/\s?(?P<under>\d{{1,9}})"
    rf"|\(?(?P<top>{DECIMAL})\s?/\s?(?P<bottom>{DECIMAL})\)?"
    rf"|(?P<plain>{DECIMAL}))"
    rf"(?![\d/]|\s/|\.\d)(?:\s?-?(?P<unit>{UNIT})|\s+(?P<word>[a-z]+))?"
)
COUNTABLE = frozenset(
    """back change left in each per total of is or and because since as so which if not but remaining equals for to
    with from altogether together simplified""".split()
)
"""Words that may follow a bare number that is an amount; after any other word it counts things ("3 friends")."""


@dataclass(frozen=True)
class Amount:
    """``value`` in dollars; ``start`` and ``end`` in the text; whether it is a fraction, and in lowest terms."""

    value: Fraction
    start: int
    end: int
    is_fraction: bool
    is_simplest: bool


def amounts_in(text):
    """Every amount in ``text`` (as :func:`normalise` leaves it), in order."""
    return [amount for found in AMOUNT.finditer(text) if (amount := read_amount(found)) is not None]


def read_amount(found):
    """The amount that one match of AMOUNT states; None when it is none (a count of things, a zero below the bar)."""
    part = found.groupdict()
    number = read_number(part)
    if number is None or (part["word"] and part["word"] not in COUNTABLE and is_bare(part)):
        return None
    unit = part["unit"] or ""
    in_cents = unit.startswith(("c", "¢")) or unit.endswith(" cent")
    in_hundredths = in_cents or unit in ("%", "percent")
    if in_cents and part["mark"]:
        return None
    signs = bool(part["sign"]) + bool(part["late"])
    value = number * (-1 if signs == 1 else 1) / (100 if in_hundredths else 1)
    return Amount(
        value=value,
        start=found.start(),
        end=found.end("unit") if unit else found.start("word") - 1 if part["word"] else found.end(),
        is_fraction=part["plain"] is None,
        is_simplest=signs == 0 and not in_hundredths and is_lowest(part),
    )


def is_bare(part):
    """A whole number without a sign of money."""
    return part["plain"] is not None and "." not in part["plain"] and not part["mark"]


def read_number(part):
    """The number before its unit, or None for a fraction with nothing below the bar."""
    if part["plain"]:
        return to_fraction(part["plain"])
    if part["whole"]:
        return None if int(part["under"]) == 0 else int(part["whole"]) + Fraction(int(part["over"]), int(part["under"]))
    bottom = to_fraction(part["bottom"])
    return None if bottom == 0 else to_fraction(part["top"]) / bottom


def to_fraction(digits):
    return Fraction(digits.replace(",", ""))


def is_lowest(part):
    """A proper or improper fraction in lowest terms, a mixed number with such a proper part, or a whole number."""
    if part["plain"]:
        return "." not in part["plain"]
    if part["whole"]:
        over, under = part["over"], part["under"]
        return int(part["whole"]) > 0 and int(over) < int(under) and is_reduced(over, under)
    return (
        int_like(part["top"])
        and int_like(part["bottom"])
        and int(part["bottom"]) > 1
        and is_reduced(part["top"], part["bottom"])
    )


def int_like(digits):
    return digits.isdigit()


def is_reduced(top, bottom):
    return (
        math.gcd(int(top), int(bottom)) == 1 and int(top) > 0 and not top.startswith("0") and not bottom.startswith("0")
    )

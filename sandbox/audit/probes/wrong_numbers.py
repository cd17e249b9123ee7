"""Wrong values that resemble a right one. Every function yields texts whose value certainly differs."""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from sandbox.audit.probes.answers import ReferenceAnswer, parse_number

_LARGEST_NEIGHBOURLY = 50
"""Largest number whose neighbours are used. Above it a neighbour might lie within a tolerance of 2 %."""

_LARGEST_MIXED = 6
"""Up to here two thirds are a tenth of the number. Above it, 2 n/5 is at most half of n, or as a product 0.4 n."""

_LEAST_CUT = (10, 11)
"""A number that lost digits is a tenth smaller at least: an undeclared tolerance is no defect."""


def other_than(answer: ReferenceAnswer, random: Random) -> str:
    """A plausible other whole number, far from the answer."""
    value = int(answer.value or Fraction(0))
    return str(value + random.choice((-1, 1)) * (abs(value) // 2 + random.randrange(3, 9)))


def changed_digit(answer: ReferenceAnswer, random: Random) -> Iterator[str]:
    """Another first significant digit: a change of at least a tenth."""
    for index, char in enumerate(answer.text):
        if char in "123456789":
            digit = random.choice([digit for digit in "123456789" if digit != char])
            yield from _different(answer, answer.text[:index] + digit + answer.text[index + 1 :])
            return


def turned_sign(answer: ReferenceAnswer, random: Random) -> Iterator[str]:
    """The negative."""
    del random
    if answer.value:
        text = answer.text.lstrip("+")
        yield from _different(answer, text[1:] if text[0] in "-−" else f"-{text}")


def off_by_one(answer: ReferenceAnswer, random: Random) -> Iterator[str]:
    """A neighbour of a small whole number."""
    if answer.value is not None and answer.value.denominator == 1 and abs(answer.value) <= _LARGEST_NEIGHBOURLY:
        yield str(int(answer.value) + random.choice((-1, 1)))


def truncated(answer: ReferenceAnswer, random: Random) -> Iterator[str]:
    """A whole number without its last digit or its first; a decimal fraction cut so short that it is a tenth less."""
    digits = answer.text.lstrip("+-−")
    sign = answer.text[: len(answer.text) - len(digits)]
    if digits.isdigit() and len(digits) > 1:
        yield from _different(answer, sign + random.choice((digits[:-1], digits[1:])))
    elif answer.value is not None and "." in digits and digits.replace(".", "", 1).isdigit():
        first = next((index for index, char in enumerate(digits) if char in "123456789"), len(digits))
        cut = parse_number(sign + digits[: max(first + 1, digits.index("."))])
        if cut is not None and abs(answer.value) * _LEAST_CUT[0] >= abs(cut) * _LEAST_CUT[1]:
            yield sign + digits[: max(first + 1, digits.index("."))]


def superstring(answer: ReferenceAnswer, random: Random) -> Iterator[str]:
    """A longer whole number around the answer's digits."""
    digits = answer.text.lstrip("+-−")
    sign = answer.text[: len(answer.text) - len(digits)]
    if digits.isdigit():
        extra = str(random.randrange(1, 10))
        yield from _different(answer, sign + random.choice((extra + digits, digits + extra)))


def mixed(answer: ReferenceAnswer, random: Random) -> Iterator[str]:
    """The answer as whole part, or as numerator, of a mixed number that is a tenth more or less at least."""
    digits = answer.text.lstrip("+")
    if digits.isdigit() and int(digits):
        yield f"{digits} {random.choice(('2/3', '3/4', '5/6'))}" if int(digits) <= _LARGEST_MIXED else f"2 {digits}/5"


def wrong_scale(answer: ReferenceAnswer, random: Random) -> Iterator[str]:
    """A whole number times ten, a hundred or a thousand."""
    if answer.value and answer.value.denominator == 1:
        yield str(int(answer.value) * random.choice((10, 100, 1000)))


def _different(answer: ReferenceAnswer, text: str) -> Iterator[str]:
    """``text``, if it reads as a number that is not the answer."""
    value = parse_number(text)
    if value is not None and value != answer.value:
        yield text

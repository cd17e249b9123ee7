"""Reference answers as values: reads them, finds them in a response, and writes a response with another one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

# A number as people write it: sign, thousands commas, decimals, a plain fraction; not a part of a longer word.
_NUMBER = re.compile(r"(?<![\w.,/\\])[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?(?![\d/]|\.\d|,\d|\w)")
_DIGIT = re.compile(r"\d")
_LATEX_FRACTION = re.compile(r"-?\\[dt]?frac\{(-?\d+)\}\{(\d+)\}")
_CHOICE = re.compile(r"(?<![A-Za-z\\])[A-J](?![A-Za-z'])")
_TRUTH = re.compile(r"(?<![A-Za-z])(?:true|false|yes|no)(?![A-Za-z])", re.IGNORECASE)
_TRUTHS = {"true": "false", "false": "true", "yes": "no", "no": "yes"}

_KEPT = 1024
"""Texts whose numbers are remembered: about as many as an audit takes probes from."""
_TAIL_CHARACTERS = 60
"""How many characters from the end the last number may be to count as the response's final answer."""


@dataclass(frozen=True)
class ReferenceAnswer:
    """A reference answer that other responses can be compared with. ``value`` is None for choices and truths."""

    text: str
    value: Fraction | None = None
    kind: str = "number"


@dataclass(frozen=True)
class TextSpan:
    """One place in a response: ``response[start:end] == text``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class StatedAnswer:
    """All places in ``response`` that state its answer; the last one is the final answer."""

    response: str
    spots: tuple[TextSpan, ...]

    def with_answer(self, text: str) -> str:
        """The response claiming ``text`` wherever it claimed the answer."""
        parts, position = [], 0
        for spot in self.spots:
            parts += [self.response[position : spot.start], text]
            position = spot.end
        return "".join(parts) + self.response[position:]

    @property
    def before(self) -> str:
        """What stands before the final answer."""
        return self.response[: self.spots[-1].start]

    @property
    def after(self) -> str:
        """What stands after the final answer."""
        return self.response[self.spots[-1].end :]


def read(answer: Any) -> ReferenceAnswer | None:
    """A task's ``answer`` as a comparable value: a number, one choice letter, a truth value; else None."""
    if isinstance(answer, bool):
        return ReferenceAnswer(text=str(answer), kind="truth")
    text = str(answer).strip() if isinstance(answer, (int, float, str)) else ""
    bare = text.strip("$").strip()
    if re.fullmatch("[A-J]", bare):
        return ReferenceAnswer(text=bare, kind="choice")
    if bare.casefold() in _TRUTHS:
        return ReferenceAnswer(text=bare, kind="truth")
    value = parse_number(bare)
    return ReferenceAnswer(text=bare, value=value) if value is not None else None


@lru_cache(_KEPT)
def parse_number(text: str) -> Fraction | None:
    """``7,425``, ``-0.5``, ``3/4`` or a LaTeX fraction as a fraction; None for anything else."""
    if latex := _LATEX_FRACTION.fullmatch(text):
        sign = -1 if text.startswith("-") else 1
        return sign * Fraction(int(latex[1]), int(latex[2])) if int(latex[2]) else None
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return Fraction(text.replace(",", "").replace("−", "-").removeprefix("+"))
    except (ValueError, ZeroDivisionError):
        return None


def occurrences(response: str, answer: ReferenceAnswer) -> list[TextSpan]:
    """Every place where the response says the answer's value, in any notation of its kind."""
    if answer.kind == "choice":
        return [_found(match) for match in _CHOICE.finditer(response) if match[0] == answer.text]
    if answer.kind == "truth":
        return [_found(match) for match in _TRUTH.finditer(response) if match[0].casefold() == answer.text.casefold()]
    return [found for found in spans_of_numbers(response) if parse_number(found.text) == answer.value]


def find(response: str, answer: ReferenceAnswer) -> StatedAnswer | None:
    """Where the response states ``answer`` as its final answer, or None when something else of that kind follows."""
    kinds = {"choice": _CHOICE, "truth": _TRUTH}
    every: Sequence[TextSpan] = (
        [_found(match) for match in kinds[answer.kind].finditer(response)]
        if answer.kind in kinds
        else spans_of_numbers(response)
    )
    spots = occurrences(response, answer)
    if not spots or every[-1] != spots[-1] or len(response.rstrip()) - spots[-1].end > _TAIL_CHARACTERS:
        return None
    return StatedAnswer(response=response, spots=tuple(spots))


def opposite(answer: ReferenceAnswer) -> str:
    """The other truth value, written as the first one is."""
    other = _TRUTHS[answer.text.casefold()]
    return other.capitalize() if answer.text[:1].isupper() else other


def numbers_in(text: str) -> list[str]:
    """Every number in a text, as it is written."""
    return [found.text for found in spans_of_numbers(text)]


@lru_cache(_KEPT)  # each probe family asks of each response, and some of them for each task
def spans_of_numbers(text: str) -> tuple[TextSpan, ...]:
    """Where every number of a text stands."""
    if not _DIGIT.search(text):  # most long texts of probes: the patterns below try each of their characters
        return ()
    latex = [_found(match) for match in _LATEX_FRACTION.finditer(text)]
    plain = tuple(_found(match) for match in _NUMBER.finditer(text))
    if not latex:
        return plain
    outside = [spot for spot in plain if not any(big.start <= spot.start < big.end for big in latex)]
    return tuple(sorted([*latex, *outside], key=lambda spot: spot.start))


def notation(text: str) -> str:
    """How a number is written: ``fraction``, ``grouped`` (thousands), ``decimal`` or ``whole``."""
    for sign, name in (("/", "fraction"), ("frac", "fraction"), (",", "grouped"), (".", "decimal")):
        if sign in text:
            return name
    return "whole"


def decimal_text(value: Fraction) -> str | None:
    """The exact decimal notation of ``value``, up to 6 places; None when it does not end by then."""
    scaled = value * 10**6
    if scaled.denominator != 1:
        return None
    sign = "-" if value < 0 else ""
    whole, rest = divmod(abs(int(scaled)), 10**6)
    digits = f"{rest:06d}".rstrip("0")
    return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


def _found(match: re.Match[str]) -> TextSpan:
    return TextSpan(match.start(), match.end(), match[0])

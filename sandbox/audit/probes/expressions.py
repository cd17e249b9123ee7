"""Answers that are expressions: reads them, from LaTeX or plain text, and evaluates them at points.

Only what everybody reads alike: sums, products, quotients, powers, roots and a few functions of numbers and single
letters. All else is no expression here (None), so no probe is made of it.
"""

import cmath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|\\(?P<command>[A-Za-z]+)|(?P<word>sqrt|sin|cos|tan|exp|ln|log|pi)(?![A-Za-z])"
    r"|(?P<letter>[A-Za-zπ])|(?P<sign>\*\*|[-+*/^(){}−·×√]))"
)
_IGNORED = re.compile(r"\\(?:left|right|displaystyle|limits|[,;!: ])(?![A-Za-z])|\$|\\[()]|\.\s*\Z")
FUNCTIONS: Mapping[str, Callable[[complex], complex]] = {
    "sqrt": cmath.sqrt,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "tan": cmath.tan,
    "exp": cmath.exp,
    "ln": cmath.log,
}
_SIGNS = {"**": "^", "−": "-", "·": "*", "×": "*", "cdot": "*", "times": "*"}
_FRACTIONS = ("frac", "dfrac", "tfrac")
_ENDS = ("+", "-", ")", "}")
_MIXED = tuple(f"\\{name}" for name in _FRACTIONS)
_CONSTANTS: Mapping[str, complex] = {"pi": cmath.pi, "e": cmath.e, "i": 1j}
_WORD = re.compile(r"(?<![\\A-Za-z])(?!(?:sqrt|sin|cos|tan|exp|ln|log|pi)(?![A-Za-z]))[A-Za-z]{3,}")
LONGEST = 200
_LARGEST = 1e12
"""Values beyond it, or under its reciprocal, are not compared: floats would decide."""
_CLOSE = 1e-9


@dataclass(frozen=True)
class Expression:
    """``kind``: number, name, sum, product, quotient, power, negative, or a function; ``text`` of the first two."""

    kind: str
    parts: tuple["Expression", ...] = ()
    text: str = ""


@lru_cache(1024)
def read(text: str) -> Expression | None:
    """The expression that the whole text is; None for anything else."""
    if len(text) > LONGEST or _WORD.search(text):
        return None
    try:
        tokens = list(_tokens(_IGNORED.sub(" ", text)))
        reader = _Reader(tokens)
        found = reader.sum()
        return found if reader.at == len(tokens) else None
    except (_UnreadError, RecursionError):
        return None


def numbers(one: Expression) -> Iterator[Expression]:
    """Every number in it, in reading order."""
    if one.kind == "number":
        yield one
    for part in one.parts:
        yield from numbers(part)


def names(one: Expression) -> set[str]:
    """Every letter in it."""
    found = {one.text} if one.kind == "name" else set()
    return found.union(*map(names, one.parts))


def same(one: Expression, other: Expression) -> bool:
    """Whether both have one value at every point that was tried, with e, i and pi as constants."""
    pairs = list(_values(one, other))
    return bool(pairs) and all(abs(a - b) <= _CLOSE * max(abs(a), abs(b), _CLOSE) for a, b in pairs)


def apart(one: Expression, other: Expression) -> bool:
    """Whether they differ by a tenth or more at every point, also where e and i are letters: no tolerance covers it."""
    pairs = [*_values(one, other), *_values(one, other, constants={"pi": cmath.pi})]
    return bool(pairs) and all(abs(a - b) >= max(abs(a), abs(b)) / 10 for a, b in pairs)


class _UnreadError(Exception):
    """The text is no expression of this kind."""


def _tokens(text: str) -> Iterator[str]:
    """Numbers, letters and signs as they are; commands with a backslash before them, functions in words alike."""
    place = 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            raise _UnreadError
        place = match.end()
        if (name := match["command"] or match["word"]) is not None:
            yield _SIGNS.get(name, f"\\{name}")
        else:
            found = match[0].strip()
            yield {"π": "\\pi", "√": "\\sqrt"}.get(found, _SIGNS.get(found, found))


class _Reader:
    """Recursive descent over the tokens. ``at`` is the next one."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self.at = tokens, 0

    def sum(self) -> Expression:
        terms = [self._signed()]
        while self._peek() in ("+", "-"):
            terms.append(self._signed())
        return terms[0] if len(terms) == 1 else Expression("sum", tuple(terms))

    def _signed(self) -> Expression:
        is_negative = False
        while self._peek() in ("+", "-"):
            is_negative ^= self._take() == "-"
        found = self._product()
        return Expression("negative", (found,)) if is_negative else found

    def _product(self) -> Expression:
        """Factors and divisors. Nothing that two people may read in two ways."""
        found = [self._power()]
        while (sign := self._peek()) is not None and sign not in _ENDS:
            if sign == "/":
                self._take()
                found = [Expression("quotient", (_product_of(found), self._power()))]
                if (after := self._peek()) is not None and after not in (*_ENDS, "*", "/"):
                    raise _UnreadError  # 1/2x
            elif sign == "*":
                self._take()
                found.append(self._power())
            else:
                is_value = sign == "(" and found[-1].kind == "name"  # f(2)
                is_mixed = sign in _MIXED and found[-1].kind == "number"  # 6 \frac{1}{64}
                if sign[0].isdigit() or is_value or is_mixed:  # 2 3
                    raise _UnreadError
                found.append(self._power())
        return _product_of(found)

    def _power(self) -> Expression:
        base = self._atom()
        if self._peek() != "^":
            return base
        self._take()
        if self._peek() == "-":
            self._take()
            return Expression("power", (base, Expression("negative", (self._atom(),))))
        return Expression("power", (base, self._atom()))

    def _atom(self) -> Expression:
        word = self._take()
        if re.match(r"\d", word):
            return Expression("number", text=word)
        if word in ("(", "{"):
            found = self.sum()
            self._expect(")" if word == "(" else "}")
            return found
        name = word.removeprefix("\\")
        if name in _FRACTIONS and word != name:
            return Expression("quotient", (self._braced(), self._braced()))
        if name in FUNCTIONS and word != name:
            return Expression(name, (self._braced("{(") if name == "sqrt" else self._braced("("),))
        if name == "pi" or (len(name) == 1 and word == name and name.isalpha()):
            return Expression("name", text=name)
        raise _UnreadError

    def _braced(self, allowed: str = "{") -> Expression:
        if self._peek() not in tuple(allowed):
            raise _UnreadError  # \frac12 and \sin x are left to others
        return self._atom()

    def _peek(self) -> str | None:
        return self._tokens[self.at] if self.at < len(self._tokens) else None

    def _take(self) -> str:
        if self.at == len(self._tokens):
            raise _UnreadError
        self.at += 1
        return self._tokens[self.at - 1]

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise _UnreadError


def _product_of(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else Expression("product", tuple(factors))


def _values(
    one: Expression, other: Expression, constants: Mapping[str, complex] = _CONSTANTS
) -> Iterator[tuple[complex, complex]]:
    """Both values at three points; nothing where either cannot be had there."""
    random = Random("points")  # noqa: S311 -- the same points each time
    letters = sorted((names(one) | names(other)) - constants.keys())
    for _ in range(3):
        point = {**constants, **{name: complex(random.uniform(1.1, 2.9), 0) for name in letters}}
        try:
            values = _value(one, point), _value(other, point)
        except (ArithmeticError, ValueError):
            continue
        if all(1 / _LARGEST <= abs(value) <= _LARGEST for value in values):
            yield values


def _value(one: Expression, point: Mapping[str, complex]) -> complex:
    if one.kind == "number":
        return complex(one.text)
    if one.kind == "name":
        return point[one.text]
    values = [_value(part, point) for part in one.parts]
    if one.kind == "sum":
        return sum(values)
    if one.kind == "product":
        product = complex(1)
        for value in values:
            product *= value
        return product
    if one.kind == "quotient":
        return values[0] / values[1]
    if one.kind == "power":
        return complex(values[0] ** values[1])
    return -values[0] if one.kind == "negative" else FUNCTIONS[one.kind](values[0])

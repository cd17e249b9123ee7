"""Problems in words whose answer is one expression over their numbers, and the same problem with other numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from random import Random

from lecture_calculator.arithmetic import calculate_exactly
from lecture_calculator.wordings import WORDINGS

SPLITS = ("train", "validation", "test")
_WORDED = {"train": (0, 1), "validation": (2,), "test": (3,)}
Numbers = dict[str, int]


@dataclass(frozen=True)
class Family:
    """Which expression answers a problem, how its numbers are drawn, and how hard it is."""

    level: str
    expression: str
    draw: Callable[[Random], Numbers]
    before_rounding: str = ""
    """The expression without its last step, for problems whose answer is rounded to a whole number."""
    forms: tuple[Callable[[Fraction], Fraction], ...] = ()
    """How people write a number of such a problem into an expression: 15 per cent as 0.15 or 1.15."""


_PER_CENT = (lambda n: n / 100, lambda n: 1 + n / 100, lambda n: 1 - n / 100, lambda n: 100 + n, lambda n: 100 - n)


def _between(**ranges: tuple[int, int]) -> Callable[[Random], Numbers]:
    return lambda random: {name: random.randint(low, high) for name, (low, high) in ranges.items()}


def _share(random: Random) -> Numbers:
    b = random.randint(13, 97)
    return {"a": b * random.randint(213, 9876), "b": b}


def _average(random: Random) -> Numbers:
    a, b, mean = random.randint(1000, 9000), random.randint(1000, 9000), random.randint(3500, 6500)
    return {"a": a, "b": b, "c": 3 * mean - a - b}


FAMILIES = {
    "product": Family("easy", "{a} * {b}", _between(a=(213, 9876), b=(23, 987))),
    "share": Family("easy", "{a} / {b}", _share),
    "difference": Family("easy", "{a} - {b}", _between(a=(500_123, 987_654), b=(10_123, 487_654))),
    "boxes": Family("medium", "{a} * {b} + {c}", _between(a=(112, 989), b=(23, 97), c=(102, 799))),
    "broken": Family("medium", "{a} * {b} - {c}", _between(a=(112, 989), b=(23, 97), c=(102, 799))),
    "each-pays": Family("medium", "({a} + {b}) * {c}", _between(a=(212, 989), b=(213, 897), c=(23, 98))),
    "per-cent": Family("medium", "{a} * {b} / 100", _between(a=(13, 94), b=(1213, 9876)), forms=_PER_CENT),
    "remainder": Family("medium", "{a} % {b}", _between(a=(10_213, 98_765), b=(67, 487))),
    "squares": Family("medium", "{a}^2 + {b}^2", _between(a=(113, 987), b=(113, 987))),
    "below-zero": Family("medium", "{c} - {a} * {b}", _between(a=(23, 98), b=(113, 987), c=(112, 899))),
    "vans": Family(
        "hard", "ceil(({a} + {b}) / {c})", _between(a=(2113, 9876), b=(213, 987), c=(14, 57)), "({a} + {b}) / {c}"
    ),
    "discount": Family(
        "hard", "{a} * {b} * (100 - {c}) / 100", _between(a=(23, 97), b=(113, 987), c=(13, 43)), forms=_PER_CENT
    ),
    "two-offers": Family("hard", "{a} * {b} - {c} * {d}", _between(a=(23, 98), b=(113, 987), c=(23, 98), d=(113, 987))),
    "growth": Family(
        "hard",
        "{a} * (100 + {b}) * (100 + {c}) / 10000",
        _between(a=(1213, 98_765), b=(13, 38), c=(13, 38)),
        forms=_PER_CENT,
    ),
    "average": Family("hard", "({a} + {b} + {c}) / 3", _average),
    "hours": Family(
        "hard",
        "({a} * 60 + {b}) * {c}",
        _between(a=(13, 58), b=(13, 58), c=(113, 987)),
        forms=(lambda n: n * 60, lambda n: n / 60),
    ),
}
CONSTANTS = (2, 3, 10, 60, 100, 10_000)
"""Numbers that expressions may hold beside those of the problem; no problem has one of them."""


@dataclass(frozen=True)
class Problem:
    """One problem: what is asked, and its numbers by name."""

    name: str
    prompt: str
    numbers: Numbers

    @property
    def family(self) -> Family:
        return FAMILIES[self.name]

    @property
    def expression(self) -> str:
        """An expression that answers it."""
        return self.family.expression.format(**self.numbers)

    @property
    def answer(self) -> Fraction:
        return _value(self.family.expression, self.numbers)

    @property
    def before_rounding(self) -> Fraction:
        """The answer before it was rounded; the answer itself where nothing is."""
        return _value(self.family.before_rounding or self.family.expression, self.numbers)


@lru_cache(maxsize=1024)  # a group of samples is about one problem
def problem_of(split: str, seed: int, index: int) -> Problem:
    """Problem ``index``: the same for the same arguments. No two splits share a wording or a first number."""
    name = list(FAMILIES)[index % len(FAMILIES)]
    random = Random(f"calculator:{split}:{seed}:{index}")
    numbers = _drawn(name, random, lambda numbers: numbers["a"] % 3 == SPLITS.index(split))
    words = WORDINGS[name][random.choice(_WORDED[split])]
    return Problem(name, words.format(**numbers), numbers)


@lru_cache(maxsize=1024)
def others_like(split: str, seed: int, index: int, count: int) -> list[Problem]:
    """Problem ``index`` with other numbers, of which none is the same and which have other answers."""
    problem = problem_of(split, seed, index)
    random = Random(f"calculator:other:{problem.prompt}")

    def is_other(numbers: Numbers) -> bool:
        other = Problem(problem.name, problem.prompt, numbers)
        return (
            not set(numbers.values()) & set(problem.numbers.values())
            and other.answer != problem.answer
            and other.before_rounding != problem.before_rounding
        )

    return [Problem(problem.name, problem.prompt, _drawn(problem.name, random, is_other)) for _ in range(count)]


def _drawn(name: str, random: Random, is_good: Callable[[Numbers], bool]) -> Numbers:
    """Different numbers, none a constant, and none of them the answer."""
    while True:
        numbers = FAMILIES[name].draw(random)
        taken = {*numbers.values(), *CONSTANTS, _value(FAMILIES[name].expression, numbers)}
        if len(taken) == len(numbers) + len(CONSTANTS) + 1 and min(numbers.values()) > 0 and is_good(numbers):
            return numbers


def _value(expression: str, numbers: Numbers) -> Fraction:
    value = calculate_exactly(expression.format(**numbers))
    assert isinstance(value, Fraction)
    return value

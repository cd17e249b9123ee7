"""The value of an expression at given values of its symbols: exact fractions where possible, else 60 digits.

Work is bounded before it is done: a power, factorial or tree that would be too large raises :class:`TooLarge`,
so a tower such as 5^5^5^5^5 costs nothing.
"""
# ruff: noqa: E501 -- word lists and patterns read better whole

import hashlib
import math
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
from mpmath.ctx_mp import MPContext

from lecture_math_answer.node import Node

DIGITS = 60
MAX_BITS = 60_000
"""Largest exact integer, in bits; beyond it a value is approximate."""
MAX_BINOMIAL_BITS = 12_000
"""Of an exact binomial coefficient: (2000 over 1000) has 11,000. One costs a tenth of a millisecond at most."""
MAX_EXPONENT = 2_000_000
"""Largest binary exponent of an approximate value."""
MAX_STEPS = 20_000

Value = Any
"""``Fraction``, ``mpf`` or ``mpc``."""


class EvaluationError(ValueError):
    """The expression has no value here: undefined, not numeric, or not of this notation."""


class TooLarge(EvaluationError):
    """Working it out would take more than the budget allows."""


class _Contexts(threading.local):
    """One context of mpmath a thread: making one costs a millisecond. Functions change its precision while they work."""

    def __init__(self) -> None:
        self.context = MPContext()


_CONTEXTS = _Contexts()


def _context() -> MPContext:
    context = _CONTEXTS.context
    context.dps = DIGITS  # whatever an evaluation that was interrupted has left
    return context


class Evaluator:
    """Evaluates trees. ``log10``: what ``\\log`` without a base means. Not shared between threads."""

    def __init__(self, *, log10: bool = False):
        self.context = _context()
        self.log10 = log10
        self.steps = 0

    def __call__(self, node: Node, point: dict[str, Value] | None = None) -> Value:
        """The value of ``node`` where symbols have the values of ``point``."""
        try:
            return self._value(node, point or {})
        except (ZeroDivisionError, OverflowError, mpmath.libmp.NoConvergence, MemoryError) as error:
            raise EvaluationError(str(error)) from None
        except EvaluationError:
            raise
        except (ValueError, TypeError, ArithmeticError, AttributeError) as error:
            raise EvaluationError(str(error)) from None

    def _value(self, node: Node, point: dict[str, Value]) -> Value:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooLarge("too many steps")
        match node.op:
            case "num":
                return node.value
            case "sym":
                return self._symbol(node.name, point)
            case "add" | "mul" | "div" | "pow":
                left, right = (self._value(part, point) for part in node.args)
                return self._checked(self._operation(node.op)(left, right))
            case "neg":
                return -self._value(node.args[0], point)
            case "pct":
                return self.divide(self._value(node.args[0], point), Fraction(100))
            case "deg":
                return self._mul(self._value(node.args[0], point), self.context.pi / 180)
            case "fact":
                return self._factorial(self._value(node.args[0], point))
            case "fn":
                return self._checked(self._function(node.name, [self._value(part, point) for part in node.args]))
            case "app":
                return self._unknown(node.name, [self._value(part, point) for part in node.args])
            case "quantity":
                return self._value(node.args[0], point)
            case "ratio" if len(node.args) == 2:
                return self.divide(*(self._value(part, point) for part in node.args))
            case "inf":
                return self.context.inf
        raise EvaluationError(f"{node.op} has no number")

    def _operation(self, op: str) -> Callable[[Value, Value], Value]:
        return {"add": self._add, "mul": self._mul, "div": self.divide, "pow": self._pow}[op]

    # arithmetic: exact while both are exact and small

    def _mpf(self, value: Value) -> Value:
        if isinstance(value, Fraction):
            if value.denominator == 1:
                return self.context.mpf(value.numerator)
            return self.context.mpf(value.numerator) / self.context.mpf(value.denominator)
        return value

    def _add(self, left: Value, right: Value) -> Value:
        return left + right if _exact(left, right) else self._mpf(left) + self._mpf(right)

    def _mul(self, left: Value, right: Value) -> Value:
        return left * right if _exact(left, right) else self._mpf(left) * self._mpf(right)

    def divide(self, left: Value, right: Value) -> Value:
        if right == 0:
            raise EvaluationError("division by zero")
        return left / right if _exact(left, right) else self._mpf(left) / self._mpf(right)

    def _pow(self, base: Value, exponent: Value) -> Value:
        if isinstance(exponent, Fraction):
            if exponent.denominator == 1 and isinstance(base, Fraction):
                exact = self._exact_power(base, int(exponent))
                if exact is not None:
                    return exact
            elif isinstance(base, Fraction) and base < 0 and exponent.denominator % 2 == 1:
                # The real root of a negative number, which is what an answer means by it.
                sign = -1 if exponent.numerator % 2 else 1
                return sign * self._pow(-base, exponent)
            elif isinstance(base, Fraction):
                exact = _exact_root(base, exponent)
                if exact is not None:
                    return exact
        left, right = self._mpf(base), self._mpf(exponent)
        if left == 0:
            if self.context.re(right) <= 0:
                raise EvaluationError("zero to a power that is not positive")
            return Fraction(0)
        bits = abs(self.context.log(abs(left), 2)) * abs(right)
        if not bits < MAX_EXPONENT:
            raise TooLarge("power")
        return self.context.power(left, right)

    @staticmethod
    def _exact_power(base: Fraction, exponent: int) -> Fraction | None:
        if exponent < 0 and base == 0:
            raise EvaluationError("division by zero")
        size = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(base) == 1 or base == 0:
            return base ** (exponent % 2 if base else min(exponent, 1))
        if size * abs(exponent) > MAX_BITS:
            return None
        return base**exponent

    def _checked(self, value: Value) -> Value:
        if isinstance(value, Fraction):
            if max(value.numerator.bit_length(), value.denominator.bit_length()) > 2 * MAX_BITS:
                return self._mpf(value)
            return value
        if self.context.isnan(value):
            raise EvaluationError("not a number")
        return value

    def _factorial(self, value: Value) -> Value:
        if isinstance(value, Fraction) and value.denominator == 1 and value >= 0:
            if value <= 3000:
                return Fraction(math.factorial(int(value)))
            if value > 100_000:
                raise TooLarge("factorial")
        elif self.context.isinf(value) or abs(value) > 100_000:
            raise TooLarge("factorial")
        return self.context.gamma(self._mpf(value) + 1)

    # symbols and functions

    def _symbol(self, name: str, point: dict[str, Value]) -> Value:
        if name == "pi":
            return +self.context.pi
        if name == "e":
            return +self.context.e
        if name == "i":
            return self.context.mpc(0, 1)
        if name not in point:
            raise EvaluationError(f"free symbol {name}")
        return point[name]

    def _function(self, name: str, values: list[Value]) -> Value:
        if name in _EXACT and all(isinstance(value, Fraction) for value in values):
            return _EXACT[name](values)
        if name == "binom":
            return self._binomial(*values)
        floats = [self._mpf(value) for value in values]
        if name in ("log", "ln", "lg") and floats[0] == 0:
            raise EvaluationError("logarithm of zero")
        match name:
            case "log" if len(floats) == 1:
                return self.context.log10(floats[0]) if self.log10 else self.context.ln(floats[0])
            case "lg":
                return self.context.log10(floats[0])
            case "log_base" | "ln_base":
                return self.context.ln(floats[0]) / self.context.ln(floats[1])
            case "exp":
                return self._pow(+self.context.e, values[0])
            case "cbrt":
                return self._pow(values[0], Fraction(1, 3))
            case "floor" | "ceil":
                return Fraction(int(getattr(self.context, name)(self.context.re(floats[0]))))
            case "abs" | "det":
                return abs(floats[0])
            case "max" | "min":
                return (max if name == "max" else min)(floats)
        if name not in _CONTINUOUS or len(floats) != 1:
            raise EvaluationError(f"unknown function {name}")
        if abs(floats[0]) > 10**40:
            raise TooLarge(name)
        return getattr(self.context, _CONTINUOUS[name])(floats[0])

    def _binomial(self, top: Value, bottom: Value) -> Value:
        if _exact(top, bottom) and top.denominator == bottom.denominator == 1 and 0 <= bottom <= 2000:
            whole, chosen = int(top), int(bottom)
            if chosen * whole.bit_length() <= MAX_BINOMIAL_BITS:
                if whole >= 0:
                    return Fraction(math.comb(whole, chosen))
                return Fraction((-1) ** chosen * math.comb(chosen - whole - 1, chosen))
        if abs(top) > 10**5 or abs(bottom) > 10**5:
            raise TooLarge("binomial")
        return self.context.binomial(self._mpf(top), self._mpf(bottom))

    def _unknown(self, name: str, values: list[Value]) -> Value:
        """A function that nobody defined: some fixed number for each argument, so that equal arguments agree."""
        key = name + "|" + ",".join(self.context.nstr(self._mpf(value), 25) for value in values)
        return Fraction(int.from_bytes(hashlib.sha256(key.encode()).digest()[:6]), 2**46)


def _exact(left: Value, right: Value) -> bool:
    return isinstance(left, Fraction) and isinstance(right, Fraction)


def _exact_root(base: Fraction, exponent: Fraction) -> Fraction | None:
    """``base ** exponent`` where it is rational and cheap: 8^(1/3), (4/9)^(1/2)."""
    degree, times = exponent.denominator, exponent.numerator
    if (
        degree > 64
        or abs(times) > 1000
        or base < 0
        or max(base.numerator.bit_length(), base.denominator.bit_length()) > 2000
    ):
        return None
    top, bottom = (_integer_root(part, degree) for part in (base.numerator, base.denominator))
    if top is None or bottom is None or (top == 0 and times < 0):
        return None
    return Fraction(top, bottom) ** times


def _integer_root(value: int, degree: int) -> int | None:
    if value in (0, 1):
        return value
    low, high = 1, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        if middle**degree < value:
            low = middle + 1
        else:
            high = middle
    return low if low**degree == value else None


_EXACT: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "abs": lambda values: abs(values[0]),
    "floor": lambda values: Fraction(math.floor(values[0])),
    "ceil": lambda values: Fraction(math.ceil(values[0])),
    "max": lambda values: max(values),
    "min": lambda values: min(values),
    "gcd": lambda values: Fraction(math.gcd(*(_integer(value) for value in values))),
    "fact2": lambda values: _double_factorial(values[0]),
    "lcm": lambda values: Fraction(math.lcm(*(_integer(value) for value in values))),
}
_CONTINUOUS = {
    name: {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arccot": "acot", "arcsec": "asec", "arccsc": "acsc", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh"}.get(name, name)
    for name in "sin cos tan cot sec csc arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh arcsinh arccosh arctanh ln".split()
}  # fmt: skip


def _double_factorial(value: Fraction) -> Fraction:
    """n (n - 2) (n - 4) …"""
    top = _integer(value)
    if not -1 <= top <= 2000:
        raise EvaluationError("a double factorial of this size")
    return Fraction(math.prod(range(top, 0, -2)))


def _integer(value: Fraction) -> int:
    if value.denominator != 1:
        raise EvaluationError("not an integer")
    return value.numerator

"""Exact arithmetic on text, read by Python's parser and never evaluated as code."""

import ast
import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

MAX_LENGTH = 500
MAX_DIGITS = 400
_MAX_EXPONENT = 2000
Number = Fraction | float

_BINARY: dict[type, Callable] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_UNARY: dict[type, Callable] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
_CONSTANTS = {"pi": math.pi, "e": math.e}
_FUNCTIONS: dict[str, Callable] = {
    "abs": abs, "min": min, "max": max, "floor": math.floor, "ceil": math.ceil,
    "round": lambda x, digits=0: _rounded(x, digits),
    "sqrt": lambda x: _root(x), "exp": math.exp, "ln": math.log, "log": lambda x, base=10: math.log(x, base),
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "factorial": lambda x: _factorial(x),
    "gcd": lambda a, b: math.gcd(_whole(a), _whole(b)),
}  # fmt: skip
_TYPOGRAPHY = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "\u2038"})


class CalculationError(ValueError):
    """The expression cannot be calculated; the message is for the model that wrote it."""


def calculate_exactly(expression: str, read: Callable[[Fraction], Number] = lambda number: number) -> Number:
    """The value of ``expression``: a Fraction where it is rational, else a float.

    ``read`` is asked for the value of each number that is written in it: a judge puts other numbers in their place.
    """
    if len(expression) > MAX_LENGTH:
        raise CalculationError(f"an expression has at most {MAX_LENGTH} characters")
    text = (
        expression.strip()
        .translate(_TYPOGRAPHY)
        .replace("\u2038", "**")
        .replace(",", "" if "(" not in expression else ",")
    )
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise CalculationError("this is not an arithmetic expression") from None
    try:
        return _bounded(_value(tree.body, text, read))
    except ZeroDivisionError:
        raise CalculationError("division by zero") from None
    except (OverflowError, TypeError, RecursionError):
        raise CalculationError("this cannot be calculated") from None
    except ValueError as error:
        raise (
            error if isinstance(error, CalculationError) else CalculationError("outside the function's domain")
        ) from None


def _value(node: ast.AST, text: str, read: Callable[[Fraction], Number]) -> Number:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        is_decimal = type(node.value) is float
        return read(_decimal(ast.get_source_segment(text, node)) if is_decimal else Fraction(node.value))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _power(_value(node.left, text, read), _value(node.right, text, read))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _bounded(_BINARY[type(node.op)](_value(node.left, text, read), _value(node.right, text, read)))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, text, read))
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _FUNCTIONS
        and not node.keywords
    ):
        result = _FUNCTIONS[node.func.id](*[_value(argument, text, read) for argument in node.args])
        return _bounded(Fraction(result) if isinstance(result, int) else result)
    raise CalculationError(
        "only numbers, + - * / // % ^, brackets, pi, e and " + ", ".join(sorted(_FUNCTIONS)) + " are known"
    )


def _decimal(literal: str) -> Fraction:
    """A decimal exactly as it is written. The exponent is looked at first: ``Fraction("1e99999999")`` takes minutes."""
    _, _, exponent = literal.lower().partition("e")
    if exponent and abs(int(exponent)) > MAX_DIGITS:
        raise CalculationError(f"a number has at most {MAX_DIGITS} digits")
    return Fraction(literal.replace("_", ""))


def _bounded(value: Number) -> Number:
    if isinstance(value, Fraction):
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_DIGITS * 10 // 3:
            raise CalculationError(f"a result has at most {MAX_DIGITS} digits")
    elif not math.isfinite(value):
        raise CalculationError("the result is not a finite number")
    return value


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and isinstance(base, Fraction):
        size = max(abs(base.numerator).bit_length(), base.denominator.bit_length())
        if abs(exponent) > _MAX_EXPONENT or size * abs(exponent) > MAX_DIGITS * 10 // 3 + 64:
            raise CalculationError(f"a result has at most {MAX_DIGITS} digits")
        return _bounded(base ** int(exponent))
    result = float(base) ** float(exponent)
    if isinstance(result, complex):
        raise CalculationError("the result is not a real number")
    return _bounded(result)


def _root(value: Number) -> Number:
    if isinstance(value, Fraction) and value >= 0:
        top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if top * top == value.numerator and bottom * bottom == value.denominator:
            return Fraction(top, bottom)
    return math.sqrt(value)


def _whole(value: Number) -> int:
    if not isinstance(value, Fraction) or value.denominator != 1:
        raise CalculationError("this function takes whole numbers")
    return value.numerator


def _rounded(value: Number, digits: Number) -> Number:
    places = _whole(Fraction(digits))
    if abs(places) > 100:
        raise CalculationError("round takes at most 100 digits")
    return round(value, places)


def _factorial(value: Number) -> int:
    number = _whole(value)
    if not 0 <= number <= 200:
        raise CalculationError("factorial takes 0 to 200")
    return math.factorial(number)


def write_number(value: Number) -> str:
    """Whole numbers in full, terminating decimals exactly up to 12 places, the rest with 12 significant digits."""
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return str(value.numerator)
        scaled = value * 10**12
        if scaled.denominator == 1:
            sign, digits = ("-" if scaled < 0 else ""), str(abs(scaled.numerator)).rjust(13, "0")
            return f"{sign}{digits[:-12]}.{digits[-12:].rstrip('0')}"
    try:
        return f"{float(value):.12g}"
    except OverflowError:  # of more than 308 digits and not whole
        return f"{Decimal(value.numerator) / value.denominator:.11e}"

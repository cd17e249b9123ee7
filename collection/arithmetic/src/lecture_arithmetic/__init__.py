"""A calculator for models."""

from lecture_arithmetic.arithmetic import CalculationError, calculate_exactly, write_number


def calculate(expression: str) -> str:
    """Calculate an arithmetic expression exactly, for example "(3 + 4) * 2 / 7" or "sqrt(2) * 10^3".

    Knows + - * / // % ^, brackets, pi, e, abs, ceil, cos, exp, factorial, floor, gcd, ln, log, max, min,
    round, sin, sqrt, tan.
    """
    try:
        return write_number(calculate_exactly(expression))
    except CalculationError as error:
        return f"error: {error}"

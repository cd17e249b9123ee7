"""A calculator for models, and a verifier of transcripts that use it."""

import json
import re
from fractions import Fraction

from lecture_calculator.arithmetic import CalculationError, calculate_exactly, write_number

_NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_HEDGE = re.compile(
    _NUMBER.pattern + r"[^.\d]{0,24}\b(?:or|perhaps|maybe)\b[^.\d]{0,24}" + _NUMBER.pattern, re.IGNORECASE
)
_TOLERANCE = Fraction(1, 10**9)


def calculate(expression: str) -> str:
    """Calculate an arithmetic expression exactly, for example "(3 + 4) * 2 / 7" or "sqrt(2) * 10^3".

    Knows + - * / // % ^, brackets, pi, e, abs, ceil, cos, exp, factorial, floor, gcd, ln, log, max, min,
    round, sin, sqrt, tan.
    """
    try:
        return write_number(calculate_exactly(expression))
    except CalculationError as error:
        return f"error: {error}"


def verify(task: dict, messages: list) -> dict:
    """Judge a transcript: the final number, whether tool results are genuine, whether the tool found the answer."""
    expected = Fraction(str(task["answer"]))
    said = [message for message in messages if isinstance(message, dict)]
    genuine, results = _replay_tools(said)
    last = said[-1] if said else {}
    final = _final_number(last.get("content")) if last.get("role") == "assistant" else None
    return {
        "correct": float(final is not None and _equal(final, expected)),
        "faithful": float(genuine),
        "used_tool": float(genuine and any(_equal(result, expected) for result in results)),
        "tool_calls": float(min(len(results), 64)),
    }


def _final_number(text: object) -> Fraction | None:
    """The number that the last message ends with; none when it offers a choice of two."""
    return None if isinstance(text, str) and _HEDGE.search(text) else _last_number(text)


def _replay_tools(messages: list[dict]) -> tuple[bool, list[Fraction]]:
    """Run every call again. ``(does each result match its call, the numbers that the calls give)``."""
    waiting: dict[str, str] = {}
    results: list[Fraction] = []
    genuine = True
    for message in messages:
        if message.get("role") == "assistant":
            for call in message.get("tool_calls") or []:
                ident, truth = _truth(call)
                if ident in waiting:
                    genuine = False
                waiting[ident] = truth
                number = _last_number(truth)
                if number is not None and not truth.startswith("error"):
                    results.append(number)
        elif message.get("role") == "tool":
            truth = waiting.pop(str(message.get("tool_call_id")), None)
            genuine = genuine and truth is not None and message.get("content") == truth
    return genuine, results


def _truth(call: object) -> tuple[str, str]:
    """The id of a call and what the tool says to it."""
    function = call.get("function", {}) if isinstance(call, dict) else {}
    arguments = function.get("arguments") if isinstance(function, dict) else None
    try:
        parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        parsed = None
    expression = parsed.get("expression") if isinstance(parsed, dict) else None
    if function.get("name") != "calculate" or not isinstance(expression, str):
        return str(call.get("id") if isinstance(call, dict) else ""), "error: calculate takes one text, expression"
    return str(call.get("id")), calculate(expression)


def _last_number(text: object) -> Fraction | None:
    found = _NUMBER.findall(text) if isinstance(text, str) else []
    try:
        return Fraction(found[-1].replace(",", "").replace("−", "-")) if found else None
    except ValueError:
        return None


def _equal(value: Fraction, expected: Fraction) -> bool:
    """Equal, or as near as 12 significant digits can show."""
    return abs(value - expected) <= _TOLERANCE * max(1, abs(expected))

"""A calculator for models, and a verifier of transcripts that use it."""

import ast
import json
from dataclasses import dataclass, field
from fractions import Fraction

from lecture_calculator.arithmetic import CalculationError, calculate_exactly, write_number
from lecture_calculator.reading import final_number, numbers_in

_TOLERANCE = Fraction(1, 10**9)
_MOST_CALLS = 64


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
    expected, given = Fraction(str(task["answer"])), set(numbers_in(_text(task["prompt"])))
    said = [message for message in messages if isinstance(message, dict)]
    replayed = _replay(said)
    last = said[-1] if said else {}
    is_final = last.get("role") == "assistant" and not last.get("tool_calls")
    final = final_number(_text(last.get("content")), given) if is_final else None
    correct = final is not None and _equal(final, expected)
    computed = any(
        call.is_answered and _equal(call.value, expected) and _computes(call.expression, given, expected)
        for call in replayed.calls
        if call.value is not None
    )
    return {
        "correct": float(correct),
        "faithful": float(replayed.is_genuine),
        "used_tool": float(correct and replayed.is_genuine and computed),
        "tool_calls": float(min(len(replayed.calls), _MOST_CALLS)),
    }


@dataclass
class _Call:
    """One call of ``calculate``: what the tool says to it, and its number when that is one."""

    expression: str
    truth: str
    value: Fraction | None
    is_answered: bool = False


@dataclass
class _Replay:
    """Every call, run again. ``is_genuine``: each has one answer, and it is what the tool says."""

    calls: list[_Call] = field(default_factory=list)
    is_genuine: bool = True


def _replay(messages: list[dict]) -> _Replay:
    replay = _Replay()
    waiting: dict[str, _Call] = {}
    for message in messages:
        if message.get("role") == "assistant":
            made = message.get("tool_calls") or []
            for made_call in made if isinstance(made, list) else [None]:
                ident, call = _read_call(made_call)
                replay.is_genuine &= ident not in waiting and ident != ""
                waiting[ident] = call
                replay.calls.append(call)
        elif message.get("role") == "tool":
            answered = waiting.pop(str(message.get("tool_call_id")), None)
            replay.is_genuine &= answered is not None and _text(message.get("content")) == answered.truth
            if answered is not None:
                answered.is_answered = True
        elif message.get("role") == "function":  # an older form that names no call: nothing shows what it answers
            replay.is_genuine = False
    replay.is_genuine &= not waiting  # a call that was never answered cannot have been used
    return replay


def _read_call(call: object) -> tuple[str, _Call]:
    """The id of a call (empty where it has none) and the call. Any shape is read: a model may send anything."""
    function = call.get("function") if isinstance(call, dict) else None
    ident = call.get("id") if isinstance(call, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    try:
        parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        parsed = None
    expression = parsed.get("expression") if isinstance(parsed, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    ident = ident if isinstance(ident, str) else ""
    if name != "calculate" or not isinstance(expression, str):
        return ident, _Call("", "error: calculate takes one text, expression", None)
    truth = calculate(expression)
    return ident, _Call(expression, truth, None if truth.startswith("error") else Fraction(truth))


def _computes(expression: str, given: set[Fraction], expected: Fraction) -> bool:
    """Does ``expression`` work the answer out of the question, rather than hold it?

    It needs an operation, two numbers of the question (one where the question has one), and not the answer itself.
    """
    held = set(numbers_in(expression))
    if expected in held - given:
        return False
    try:
        tree = ast.parse(expression.strip().replace("^", "**").replace("×", "*").replace("÷", "/"), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # the tool understood a spelling that Python does not: its numbers were looked at
    is_worked = any(isinstance(node, ast.BinOp | ast.Call) for node in ast.walk(tree))
    return is_worked and len(held & given) >= min(2, len(given))


def _text(content: object) -> str:
    """The text of a message: a string, or OpenAI's list of content parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _equal(value: Fraction, expected: Fraction) -> bool:
    """Equal, or as near as 12 significant digits can show."""
    return abs(value - expected) <= _TOLERANCE * max(1, abs(expected))

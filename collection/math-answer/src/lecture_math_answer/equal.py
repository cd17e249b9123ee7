"""Are two expressions the same? Exactly for rationals, else by agreement at many points to 35 digits."""

import random
from fractions import Fraction
from itertools import permutations

from lecture_math_answer.evaluate import EvaluationError, Evaluator, TooLarge, Value
from lecture_math_answer.node import Node, substitute, symbols, walk

_POINTS = 5
_SCALES = (1, 40, 3, 1000, 8, 1, 30)
"""Sizes of the sample points: near nought and far out, as |x - 11| is 11 - x on one side only."""
_INTEGER_NAMES = frozenset("nmkjpqrstlN")
_COMPLEX_NAMES = frozenset("zw")
"""Letters of complex numbers, where i is in the formula: |z - 3i| is |z + 3i| for all real z."""
_STEPS = {"floor", "ceil"}
_DISCRETE = {"fact", "fact2"} | _STEPS
_FAR = (59, 83, 127, 1009, 30_031)
"""Whole numbers at which rounded-down quotients differ that are alike for small ones."""


def close(left: Value, right: Value) -> bool:
    """Equal as numbers: exactly when both are fractions, else to 35 digits."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left == right
    left, right = as_number(left), as_number(right)
    if left == right:
        return True
    if _CONTEXT.isinf(left) or _CONTEXT.isinf(right):
        return False
    scale = max(abs(left), abs(right))
    difference = abs(left - right)
    if difference <= scale * TOLERANCE:
        return True
    return bool((left == 0 or right == 0) and NOISE[0] < scale < NOISE[1])


def as_number(value: Value) -> Value:
    """A fraction as a float of the context, which compares with other floats."""
    return _CONTEXT.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


_CONTEXT = Evaluator().context
TOLERANCE = _CONTEXT.mpf(10) ** -35
NOISE = (_CONTEXT.mpf(10) ** -75, _CONTEXT.mpf(10) ** -45)
"""What cancellation leaves of terms of ordinary size where the exact result is zero."""


def number_of(node: Node) -> Value | None:
    """The value of an expression without free symbols, or None."""
    if symbols(node):
        return None
    try:
        return Evaluator()(node)
    except EvaluationError:
        return None


def same_expression(left: Node, right: Node) -> bool:
    """Equal for all values of the symbols, as far as points can tell. Different symbols make different expressions."""
    if left == right:
        return True
    names, other = symbols(left), symbols(right)
    if names != other:
        if {name.lower() for name in names} != {name.lower() for name in other} or len(names) != len(other):
            return bool(names & other) and _vanishing(left, right, names | other)
        right = substitute(right, dict(zip(sorted(other, key=str.lower), sorted(names, key=str.lower), strict=True)))
    logs = any(part.op == "fn" and part.name == "log" for side in (left, right) for part in walk(side))
    return any(_agree(left, right, names, log10=log10) for log10 in ((False, True) if logs else (False,)))


def _vanishing(left: Node, right: Node, names: set[str]) -> bool:
    """A symbol that cancels (x + y - y) may be missing on one side."""
    return _agree(left, right, names, log10=False)


def _agree(left: Node, right: Node, names: set[str], *, log10: bool) -> bool:
    evaluator = Evaluator(log10=log10)
    if not names:
        return _agree_at(evaluator, left, right, {}) is True
    discrete = any(
        part.op in _DISCRETE or part.name in _DISCRETE or part.name == "binom" or _alternates(part)
        for part in (*walk(left), *walk(right))
    )
    points = list(_points(sorted(names), whole=False, plane=_has_i(left, right) and bool(names & _COMPLEX_NAMES)))
    if any(part.name == "abs" for part in (*walk(left), *walk(right))):
        points += [{name: -value for name, value in point.items()} for point in points[:4]]
    verdicts = (
        [] if discrete and names <= _INTEGER_NAMES else [_agree_at(evaluator, left, right, point) for point in points]
    )
    judged = [verdict for verdict in verdicts if verdict is not None]
    if len(judged) >= 3:
        return all(judged)
    parts = {name for side in (left, right) for part in walk(side) for name in (part.op, part.name)}
    far = (
        [dict.fromkeys(names, Fraction(n)) for n in _FAR]
        if parts & _STEPS and not parts & {"fact", "fact2", "binom"}
        else []
    )
    judged = [_agree_at(evaluator, left, right, point) for point in [*_points(sorted(names), whole=True), *far]]
    judged = [verdict for verdict in judged if verdict is not None]
    return len(judged) >= 3 and all(judged)


def _alternates(node: Node) -> bool:
    return node.op == "pow" and node.args[0].op == "neg" and bool(symbols(node.args[1]))


def _agree_at(evaluator: Evaluator, left: Node, right: Node, point: dict[str, Value]) -> bool | None:
    """None where either side has no real value here (a complex one counts only without symbols)."""
    try:
        one, two = evaluator(left, point), evaluator(right, point)
    except TooLarge:
        return False
    except EvaluationError:
        return None
    complex_kinds = [evaluator.context.mpc]
    if (
        point
        and any(
            isinstance(value, kind) and abs(value.imag) > abs(value) * 1e-40
            for value in (one, two)
            for kind in complex_kinds
        )
        and not _has_i(left, right)
    ):
        return None
    return close(one, two)


def _has_i(*nodes: Node) -> bool:
    return any(part.op == "sym" and part.name == "i" for node in nodes for part in walk(node))


def _points(names: list[str], *, whole: bool, plane: bool = False) -> list[dict[str, Value]]:
    """The same points for the same names, in every process. ``plane``: z and w are complex numbers."""
    source = random.Random("verihub " + " ".join(names))
    found = []
    for index in range(10 if whole else _POINTS + 7):
        if whole:
            found.append({name: Fraction(source.randint(1, 6 + index)) for name in names})
            continue
        scale = _SCALES[index % 7]
        found.append({name: Fraction(source.randint(1, 997) * scale, 1009) for name in names})
        if plane:
            found[-1] |= {
                name: _CONTEXT.mpc(as_number(found[-1][name]), 1 + index) for name in names if name in _COMPLEX_NAMES
            }
    return found


def renamed(left: Node, right: Node) -> list[Node]:
    """``right`` with its symbols renamed to those of ``left``, in each of the few ways there are."""
    mine, theirs = sorted(symbols(left)), sorted(symbols(right))
    extra, missing = [name for name in theirs if name not in mine], [name for name in mine if name not in theirs]
    if len(extra) != len(missing) or not 0 < len(extra) <= 3:
        return []
    return [substitute(right, dict(zip(extra, order, strict=True))) for order in permutations(missing)]


def same_family(left: Node, right: Node) -> bool:
    """The same numbers as one parameter runs over the integers: k pi - pi/4 beside k pi + 3 pi/4."""
    names = symbols(left)
    if len(names) != 1 or symbols(right) != names or not names <= _INTEGER_NAMES:
        return False
    if not any(part.op == "deg" or part.name == "pi" for part in walk(left)):
        return False
    evaluator, name = Evaluator(), next(iter(names))
    try:
        one, two = ([evaluator(side, {name: Fraction(at)}) for at in (0, 1, 2, 5)] for side in (left, right))
    except EvaluationError:
        return False
    steps = one[1] - one[0], two[1] - two[0]
    linear = all(
        close(side[3] - side[0], 5 * step) and close(side[2] - side[0], 2 * step)
        for side, step in ((one, steps[0]), (two, steps[1]))
    )
    if not linear or steps[0] == 0 or not close(abs(steps[0]), abs(steps[1])):
        return False
    turns = (two[0] - one[0]) / steps[0]
    return bool(abs(turns - round(float(turns))) < 1e-25)

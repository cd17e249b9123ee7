"""Sets of real numbers: intervals, unions, inequalities and set builders, compared point by point."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from lecture_math_answer.equal import as_number, close
from lecture_math_answer.evaluate import EvaluationError, Evaluator
from lecture_math_answer.node import Node, symbols

_FLIP = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!=", "in": "in"}


class NotASet(ValueError):
    """The tree does not describe a set of real numbers."""


@dataclass
class RealSet:
    """``contains`` tells membership, ``edges`` the numbers at which it may change; ``exact``: these are all."""

    contains: Callable[[Any], bool]
    edges: list[Any] = field(default_factory=list)
    exact: bool = True
    variable: str = ""


def real_set(node: Node, *, lists: bool = True) -> RealSet:
    """The set that ``node`` describes. Raises :class:`NotASet`. ``lists``: a bare list of conditions counts too."""
    match node.op:
        case "seq" if node.name in ("()", "[]", "(]", "[)") and len(node.args) == 2:
            return _interval(node)
        case "seq" if node.name == "{}" and lists:
            return _finite([_real(part) for part in node.args])
        case "seq" if lists and node.name in ("", "and", "or"):
            return _conditions(node)
        case "union" | "inter" | "minus":
            left, right = real_set(node.args[0]), real_set(node.args[1])
            return _combined(left, right, node.op)
        case "builder":
            return _builder(node)
        case "rel":
            return _relation(node)
        case "set" if node.name == "R":
            return RealSet(lambda _x: True)
        case "set" if node.name in ("R^+", "R_+"):
            return RealSet(lambda x: bool(x > 0), [Fraction(0)])
    raise NotASet(node.op)


def same_set(left: RealSet, right: RealSet) -> bool:
    """Equal membership at every edge, between edges, beyond them and at some points elsewhere."""
    if (
        left.variable
        and right.variable
        and left.variable != right.variable
        and left.variable.lower() != right.variable.lower()
    ):
        return False
    edges: list[Any] = []
    for edge in sorted([*left.edges, *right.edges], key=float):
        if not edges or not close(edges[-1], edge):
            edges.append(edge)
    if not left.exact and not right.exact:
        raise NotASet("neither side's edges are known")
    points = list(edges)
    points += [_middle(one, two) for one, two in itertools.pairwise(edges)]
    low, high = (edges[0], edges[-1]) if edges else (Fraction(0), Fraction(0))
    points += [low - 1, high + 1, low - 1000, high + 1000]
    if not (left.exact and right.exact):
        points += [Fraction(step * 37, 100) for step in range(-60, 61)]
    try:
        return all(left.contains(point) == right.contains(point) for point in points)
    except EvaluationError:
        return False


def _middle(one: Any, two: Any) -> Any:
    return (as_number(one) + as_number(two)) / 2 if type(one) is not type(two) else (one + two) / 2


def _below(one: Any, two: Any) -> bool:
    """one < two, for fractions and floats alike."""
    return bool(as_number(one) < as_number(two) if type(one) is not type(two) else one < two)


def _real(node: Node) -> Any:
    if symbols(node):
        raise NotASet("symbols")
    try:
        value = Evaluator()(node)
    except EvaluationError as error:
        raise NotASet(str(error)) from None
    if isinstance(value, Fraction):
        return value
    if hasattr(value, "imag") and abs(value.imag) > 0:
        raise NotASet("complex")
    return value.real


def _end(node: Node) -> Any:
    """A finite number, or None for an infinite end."""
    inner = node.args[0] if node.op == "neg" else node
    return None if inner.op == "inf" else _real(node)


def _interval(node: Node) -> RealSet:
    low, high = _end(node.args[0]), _end(node.args[1])
    if low is None and node.args[0].op != "neg":
        raise NotASet("starts at infinity")
    if high is None and node.args[1].op == "neg":
        raise NotASet("ends at minus infinity")
    if low is not None and high is not None and not (_below(low, high) or close(low, high)):
        raise NotASet("empty interval")
    left_closed, right_closed = node.name[0] == "[", node.name[1] == "]"

    def contains(x: Any) -> bool:
        above = low is None or (left_closed if close(x, low) else _below(low, x))
        below = high is None or (right_closed if close(x, high) else _below(x, high))
        return bool(above and below)

    return RealSet(contains, [edge for edge in (low, high) if edge is not None])


def _finite(values: list[Any]) -> RealSet:
    return RealSet(lambda x: any(close(x, value) for value in values), values)


def _combined(left: RealSet, right: RealSet, op: str) -> RealSet:
    tests: dict[str, Callable[[Any], bool]] = {
        "union": lambda x: left.contains(x) or right.contains(x),
        "inter": lambda x: left.contains(x) and right.contains(x),
        "minus": lambda x: left.contains(x) and not right.contains(x),
    }
    return RealSet(tests[op], [*left.edges, *right.edges], left.exact and right.exact, left.variable or right.variable)


def _builder(node: Node) -> RealSet:
    head, condition = node.args
    inner = real_set(condition)
    names = symbols(head)
    if len(names) != 1 or (inner.variable and inner.variable not in names):
        raise NotASet("builder")
    inner.variable = ""
    return inner


def _conditions(node: Node) -> RealSet:
    """Several relations or intervals: joined by or: union; by and: what both say; by commas: what makes sense."""
    sets = [real_set(part) for part in node.args]
    only_intervals = all(part.op in ("seq", "union") for part in node.args)
    if any(part.op == "rel" and part.name == "=" for part in node.args) and not _is_union_with_points(node):
        raise NotASet("a list of solutions")
    if not all(part.exact for part in sets):
        raise NotASet("a condition whose ends are not known")
    result = sets[0]
    for other in sets[1:]:
        joint = "union" if node.name == "or" or only_intervals else "inter"
        both = _combined(result, other, joint)
        if joint == "inter" and not _inhabited(both):
            both = _combined(result, other, "union")
        result = both
    return result


def _is_union_with_points(node: Node) -> bool:
    """``x < 3 or x = 7``: a set with single points in it, all of one unknown."""
    kinds = {part.name for part in node.args if part.op == "rel"}
    unknowns = {
        part.args[0].name for part in node.args if part.op == "rel" and part.name == "=" and part.args[0].op == "sym"
    }
    return node.name == "or" and kinds > {"="} and len(unknowns) == 1 and symbols(node) == unknowns


def _inhabited(candidate: RealSet) -> bool:
    edges = sorted(candidate.edges, key=float)
    points = [*edges, *(_middle(one, two) for one, two in itertools.pairwise(edges))]
    points += [edges[0] - 1, edges[-1] + 1] if edges else [Fraction(0)]
    return any(candidate.contains(point) for point in points)


def _relation(node: Node) -> RealSet:
    operators = node.name.split()
    if operators[0] == "in" and len(operators) == 1 and node.args[0].op == "sym":
        inner = real_set(node.args[1])
        inner.variable = node.args[0].name
        return inner
    names = symbols(node)
    if len(names) != 1 or not set(operators) <= {"<", ">", "<=", ">=", "!=", "="}:
        raise NotASet("not an inequality in one variable")
    variable = names.pop()
    parts = [
        _step(left, operator, right, variable)
        for left, operator, right in zip(node.args, operators, node.args[1:], strict=False)
    ]
    result = parts[0]
    for part in parts[1:]:
        result = _combined(result, part, "inter")
    result.variable = variable
    return result


def _step(left: Node, operator: str, right: Node, variable: str) -> RealSet:
    """One comparison. Its edge is exact where both sides are linear in the variable."""
    difference = Node("add", (left, Node("neg", (right,))))
    evaluator = Evaluator()

    def value(x: Any) -> Any:
        evaluator.steps = 0
        result = evaluator(difference, {variable: x})
        if not isinstance(result, Fraction) and abs(result.imag) > 0:
            raise EvaluationError("complex")
        return result if isinstance(result, Fraction) else result.real

    def contains(x: Any) -> bool:
        try:
            result = value(x)
        except EvaluationError:
            return False
        zero = abs(result) < 1e-30
        return {
            "=": zero,
            "!=": not zero,
            "<": result < 0 and not zero,
            ">": result > 0 and not zero,
            "<=": result < 0 or zero,
            ">=": result > 0 or zero,
        }[operator]

    infinite = [side for side in (left, right) if (side.args[0] if side.op == "neg" else side).op == "inf"]
    if infinite:
        return RealSet(lambda _x: True)
    try:
        at0, at1, at2, at7, before = (value(Fraction(x)) for x in (0, 1, 2, 7, -5))
    except EvaluationError:
        return RealSet(contains, [], exact=False)
    slope = at1 - at0
    linear = (
        close(at2 - at1, slope)
        and close(at7 - at0, slope * 7)
        and close(at0 - before, slope * 5)
        and abs(slope) > 1e-30
    )
    return RealSet(contains, [-at0 / slope], exact=True) if linear else RealSet(contains, [], exact=False)

"""Equations and chains of equalities: the same up to a factor, or one value said several times."""

from lecture_math_answer.equal import as_number, close, number_of, same_expression
from lecture_math_answer.evaluate import EvaluationError, Evaluator
from lecture_math_answer.node import Node, number, symbols, walk

FLIP = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!=", "~": "~"}


def consistent(relation: Node) -> list[Node]:
    """Members of a chain that holds true, the last exact one first; empty where it contradicts itself (41 = 42)."""
    operators = relation.name.split()
    if set(operators) - {"=", "~"}:
        return []
    exact = [relation.args[0]] + [
        relation.args[index + 1] for index, operator in enumerate(operators) if operator == "="
    ]
    rough = [relation.args[index + 1] for index, operator in enumerate(operators) if operator == "~"]
    if len(exact) > 2 and symbols(exact[0]) and not any(symbols(member) for member in exact[1:]):
        exact = exact[1:]  # "x + y = 3 + 4 = 7"
    if any(symbols(member) for member in exact):
        same = all(member.op != "seq" and same_expression(exact[0], member) for member in exact)
        return [exact[-1], *rough] if same else []
    values = [number_of(_value(member)) for member in (*exact, *rough)]
    if any(value is None for value in values):
        return []
    first = values[0]
    if not all(close(first, value) or _percent_close(first, value) for value in values[1 : len(exact)]):
        return []
    if not all(
        abs(complex(value) - complex(first)) <= 0.03 * abs(complex(first)) + 1e-9 for value in values[len(exact) :]
    ):
        return []
    return [exact[-1], *rough]


def _value(node: Node) -> Node:
    return node.args[0] if node.op == "quantity" else node


def _percent_close(one: object, two: object) -> bool:
    return close(one * 100, two) or close(one, two * 100)  # type: ignore[operator]


def same_equations(gold: Node, response: Node) -> bool:
    """left − right of one is a constant multiple of the other's; a positive one for inequalities."""
    if len(gold.args) != 2 or len(response.args) != 2 or symbols(gold) != symbols(response) or not symbols(gold):
        return False
    operator, other = gold.name, response.name
    if operator not in FLIP or other not in (operator, FLIP[operator]):
        return False
    ratio = _constant_ratio(_difference(gold), _difference(response))
    if ratio is None:
        return False
    return operator in ("=", "!=") or (ratio > 0) == (operator == other)


def solved(equation: Node, solution: Node) -> bool:
    """Is ``solution`` (``y = 6/x``, or ``6/x`` alone for y) what ``equation`` (``xy = 6``) says of that symbol?

    The equation must be of the first degree in it, so that nothing else says the same.
    """
    if equation.op != "rel" or equation.name != "=" or len(equation.args) != 2:
        return False
    if solution.op == "rel":
        if solution.name != "=" or len(solution.args) != 2 or solution.args[0].op != "sym":
            return False
        name, value = solution.args[0].name, solution.args[1]
    else:
        name, value = "y", solution
    if symbols(equation) != {"x", "y"} or {name} | symbols(value) != {"x", "y"} or name in symbols(value):
        return False
    return _solves(_difference(equation), name, value)


def _solves(difference: Node, name: str, value: Node) -> bool:
    other = "x" if name == "y" else "y"
    evaluator, judged = Evaluator(), 0
    for index in range(5):
        point = {other: _sample(index, 0)}
        try:
            at = evaluator(value, point)
            zero, one, two = (evaluator(difference, point | {name: at + step}) for step in (0, 1, 2))
        except EvaluationError:
            continue
        judged += 1
        if not close(zero, number(0).value) or not close(two, one * 2) or close(one, number(0).value):
            return False
    return judged >= 3


def _difference(relation: Node) -> Node:
    return Node("add", (relation.args[0], Node("neg", (relation.args[1],))))


def _constant_ratio(gold: Node, response: Node) -> float | None:
    """The factor between two expressions where it is the same at every point (of x, y, z, where these occur)."""
    names = sorted(symbols(gold))
    moving = [name for name in names if name[0] in "xyz"] or names
    evaluator = Evaluator()
    ratios = []
    for index in range(6):
        point = {name: number(0).value + (3 + 2 * position) for position, name in enumerate(names)}
        point |= {name: _sample(index, position) for position, name in enumerate(moving)}
        if any(part.op == "sym" and part.name == "i" for side in (gold, response) for part in walk(side)):
            point |= {
                name: as_number(point[name]) + evaluator.context.mpc(0, 2 + index) for name in names if name in "zw"
            }  # of a complex number: |z - 3i| is |z + 3i| for all real z
        try:
            one, two = evaluator(gold, point), evaluator(response, point)
            ratios.append(evaluator.divide(two, one))
        except EvaluationError:
            continue
    if len(ratios) < 3 or not all(close(ratios[0], ratio) for ratio in ratios) or abs(ratios[0]) < 1e-30:
        return None
    return float(ratios[0].real)


def _sample(index: int, position: int):
    return number(1).value * (17 + 31 * index + 7 * position * (index + 1) + index * index) / 23  # odd and even ones

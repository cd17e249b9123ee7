r"""One shape for what has several: rows of numbers, listed or dotted integers, systems, repeated assignments."""

import itertools
import re
from collections.abc import Callable
from fractions import Fraction

from lecture_math_answer.node import Node, number, symbols, terms

MAX_LISTED = 60
_DOTS = "…"
_INTEGERS = ("Z", "N", "Z^+", "N^*", "N_+", "N^+", "Z_+", "Z^*", "N_0")


def reshaped(node: Node) -> Node:
    """``node`` in the common shape; the parts of it are in theirs already."""
    for change in (_scaled, _matrix, _system, _equal_names, _joined, _dotted, _integers, _members, _assignments):
        node = change(node)
    return node


def _scaled(node: Node) -> Node:
    """A number times a matrix, or a matrix over one, as the matrix of products."""
    if node.op == "neg" and node.args[0].op == "matrix":
        return _each_cell(node.args[0], lambda cell: Node("neg", (cell,)))
    if node.op not in ("mul", "div") or "matrix" not in (node.args[0].op, node.args[1].op):
        return node
    left, right = node.args
    if right.op == "matrix" and left.op not in ("matrix", "seq") and node.op == "mul":
        return _each_cell(right, lambda cell: Node("mul", (left, cell)))
    if left.op == "matrix" and right.op not in ("matrix", "seq"):
        return _each_cell(left, lambda cell: Node(node.op, (cell, right)))
    return node


def _each_cell(matrix: Node, change: Callable[[Node], Node]) -> Node:
    return Node("matrix", tuple(Node("row", tuple(change(cell) for cell in row.args)) for row in matrix.args))


def _matrix(node: Node) -> Node:
    """``[[1, 2], [3, 4]]`` as a matrix."""
    if node.op != "seq" or node.name != "[]" or not all(_is_row(part) for part in node.args):
        return node
    if len({len(part.args) for part in node.args}) > 1:
        return node
    return Node("matrix", tuple(Node("row", part.args) for part in node.args))


def _is_row(node: Node) -> bool:
    return node.op == "seq" and node.name == "[]" and len(node.args) > 1


def _system(node: Node) -> Node:
    """``\\begin{cases} x = 1 \\\\ y = 2 \\end{cases}`` as a list of equations."""
    if node.op != "cases" or not all(len(row.args) == 1 and row.args[0].op == "rel" for row in node.args):
        return node
    return Node("seq", tuple(row.args[0] for row in node.args))


def _equal_names(node: Node) -> Node:
    """``a = b = c = 1`` as a value for each."""
    if node.op != "rel" or len(node.args) < 3 or set(node.name.split()) != {"="}:
        return node
    *names, value = node.args
    if (
        not all(part.op == "sym" for part in names)
        or {part.name for part in names} & symbols(value)
        or value.op in ("sym", "word")
    ):
        return node
    return Node("seq", tuple(Node("rel", (name, value), name="=") for name in names), name="and")


def _joined(node: Node) -> Node:
    """``a < b and b < c`` as ``a < b < c``."""
    if node.op != "seq" or node.name not in ("", "and") or not all(part.op == "rel" for part in node.args):
        return node
    pairs = list(itertools.pairwise(node.args))
    signs = {sign[0] for part in node.args for sign in part.name.split()}
    if signs not in ({"<"}, {">"}) or not all(one.args[-1] == two.args[0] for one, two in pairs):
        return node
    members = node.args[0].args + tuple(member for part in node.args[1:] for member in part.args[1:])
    return Node("rel", members, name=" ".join(part.name for part in node.args))


def _dotted(node: Node) -> Node:
    """``1, 2, …, 10`` and ``1 + … + 10`` written out where the step is told; ``a_1 + … + a_n`` by its ends."""
    if node.op == "seq" and any(_is_dots(part) for part in node.args):
        listed = _progression(list(node.args))
        return node.having(*listed) if listed else node
    if node.op == "add" and any(_is_dots(part) for part in terms(node)):
        parts = terms(node)
        listed = _progression(parts)
        if listed:
            return number(sum((part.value for part in map(_folded, listed)), Fraction(0)))
        return _indexed_sum(parts) or node
    return node


def _is_dots(node: Node) -> bool:
    return node.op == "sym" and node.name == _DOTS


def _folded(node: Node) -> Node:
    return number(-node.args[0].value) if node.op == "neg" and node.args[0].op == "num" else node


def _progression(parts: list[Node]) -> list[Node] | None:
    """Whole numbers in equal steps with one ``…`` among them, in full; None where they are something else."""
    at = next(index for index, part in enumerate(parts) if _is_dots(part))
    shown = [_folded(part) for part in parts if not _is_dots(part)]
    if len(parts) - len(shown) != 1 or not 0 < at < len(parts) - 1:
        return None
    if not all(part.op == "num" and part.value.denominator == 1 and not part.name for part in shown):
        return None
    values = [int(part.value) for part in shown]
    steps = {later - earlier for index, (earlier, later) in enumerate(itertools.pairwise(values)) if index != at - 1}
    if len(steps) > 1 or (not steps and at > 1):
        return None
    step = steps.pop() if steps else 1
    count = (values[-1] - values[0]) // step if step else 0
    if step == 0 or (values[-1] - values[0]) % step or not 0 < count < MAX_LISTED:
        return None
    if any((value - values[0]) % step for value in values):
        return None
    return [number(values[0] + step * index) for index in range(count + 1)]


def _indexed_sum(parts: list[Node]) -> Node | None:
    """``a_1 + a_2 + … + a_n``, in either direction: the letter and both ends. Only for steps of one."""
    names = [
        re.fullmatch(r"([A-Za-z]+)_\{?(\w+(?:[-+]\w+)?)\}?", part.name) if part.op == "sym" else None for part in parts
    ]
    at = next(index for index, part in enumerate(parts) if _is_dots(part))
    if any(name is None for index, name in enumerate(names) if index != at) or not 0 < at < len(parts) - 1:
        return None
    known = [name for name in names if name is not None]
    if len({name[1] for name in known}) > 1 or len(known) != len(parts) - 1:
        return None
    before, behind = ([name[2] for name in names[:at] if name], [name[2] for name in names[at + 1 :] if name])
    rising = _neighbours(before) in (None, 1) and _neighbours(behind) in (None, 1)
    falling = _neighbours(before) in (None, -1) and _neighbours(behind) in (None, -1)
    if not rising and not falling:
        return None
    ends = sorted((before[0], behind[-1]))
    return Node(
        "app", (Node("sym", name=f"{known[0][1]}_{ends[0]}"), Node("sym", name=f"{known[0][1]}_{ends[1]}")), name="sum…"
    )


def _neighbours(indices: list[str]) -> int | None:
    """The common step of ``1 2 3`` or ``n-1 n``; None for one index, 0 where the steps are not those."""
    pairs = [re.fullmatch(r"(-?\d+|[a-z]?)([-+]\d+)?", index) for index in indices]
    if len(indices) < 2:
        return None
    if any(pair is None for pair in pairs):
        return 0
    places = [
        ("", int(pair[1])) if re.fullmatch(r"-?\d+", pair[1]) else (pair[1], int(pair[2] or 0))
        for pair in pairs
        if pair
    ]
    steps = {later[1] - earlier[1] for earlier, later in itertools.pairwise(places)}
    if len({letter for letter, _ in places}) > 1 or len(steps) > 1:
        return 0
    return steps.pop()


def _integers(node: Node) -> Node:
    r"""``\{n \in \mathbb{Z} : 3 \le n \le 9\}`` as its members."""
    if node.op != "builder" or node.args[0].op != "rel" or node.args[0].name != "in" or node.args[1].op != "rel":
        return node
    head, condition = node.args
    kind, name = head.args[1], head.args[0]
    if kind.op != "set" or kind.name not in _INTEGERS or name.op != "sym" or len(condition.args) != 3:
        return node
    low, middle, high = (_folded(part) for part in condition.args)
    operators = condition.name.split()
    if set(operators) <= {">", ">="}:
        low, high, operators = high, low, [operators[1].replace(">", "<"), operators[0].replace(">", "<")]
    if middle != name or not set(operators) <= {"<", "<="} or {low.op, high.op} != {"num"}:
        return node
    first = low.value.__ceil__() + (operators[0] == "<" and low.value.denominator == 1)
    last = high.value.__floor__() - (operators[1] == "<" and high.value.denominator == 1)
    if kind.name not in ("Z", "Z^*"):
        first = max(first, 0 if kind.name in ("N", "N_0") else 1)
    members = [value for value in range(first, min(last, first + MAX_LISTED) + 1) if value or kind.name != "Z^*"]
    return Node("seq", tuple(number(value) for value in members), name="{}") if last - first < MAX_LISTED else node


def _members(node: Node) -> Node:
    r"""``\{(t, 2t) : t \in \mathbb{R}\}`` as the tuple in its parameter."""
    if node.op != "builder" or node.args[0].op in ("sym", "rel"):
        return node
    condition = node.args[1]
    parts = condition.args if condition.op == "seq" else (condition,)
    free = all(part.op == "rel" and part.name == "in" and part.args[1].op == "set" for part in parts)
    return node.args[0] if free and symbols(node.args[0]) else node


def _assignments(node: Node) -> Node:
    """``x = 1, y = 2 or x = 3, y = 4`` as a list of tuples in the order of the names."""
    if (
        node.op == "seq"
        and node.name in ("", "or")
        and any(part.op == "seq" and part.name == "and" for part in node.args)
    ):
        node = node.having(
            *(
                inner
                for part in node.args
                for inner in (part.args if part.op == "seq" and part.name == "and" else (part,))
            )
        )
    if node.op != "seq" or node.name not in ("", "and", "or") or len(node.args) < 4:
        return node
    if not all(part.op == "rel" and part.name == "=" and part.args[0].op == "sym" for part in node.args):
        return node
    names = [part.args[0].name for part in node.args]
    width = len(dict.fromkeys(names))
    if width < 2 or len(names) % width or len(names) == width or names != names[:width] * (len(names) // width):
        return node
    order = sorted(range(width), key=lambda place: names[place])
    rows = [node.args[start : start + width] for start in range(0, len(names), width)]
    return Node("seq", tuple(Node("seq", tuple(row[place].args[1] for place in order), name="()") for row in rows))


def in_unit_vectors(node: Node) -> list[Node] | None:
    """The coordinates of ``3i - 2j + k``; None for anything that is not such a sum with a j in it."""
    found: dict[str, Node] = {}
    for term in terms(node):
        factor, name = _unit_vector(term)
        if name == "" or name in found:
            return None
        found[name] = factor
    if "j" not in found:
        return None
    return [found.get(name, number(0)) for name in ("ijk" if "k" in found else "ij")]


def _unit_vector(term: Node) -> tuple[Node, str]:
    if term.op == "neg":
        factor, name = _unit_vector(term.args[0])
        return Node("neg", (factor,)), name
    if term.op == "sym" and term.name in ("i", "j", "k"):
        return number(1), term.name
    if (
        term.op == "mul"
        and term.args[1].op == "sym"
        and term.args[1].name in ("i", "j", "k")
        and not symbols(term.args[0])
    ):
        return term.args[0], term.args[1].name
    return term, ""

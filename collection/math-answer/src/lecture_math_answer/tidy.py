"""What an answer is once side remarks, ± and compound units are resolved."""

from itertools import product

from lecture_math_answer.node import Node, number, symbols, walk
from lecture_math_answer.shapes import reshaped
from lecture_math_answer.units import measure

MAX_ITEMS = 60


_TIDIED = ("seq", "rel", "builder", "union", "minus", "cases", "row", "add", "div", "mul", "quantity", "neg")
_INDICES = frozenset("nkmij")
BRACKETS = ("()", "[]", "(]", "[)")


def tidy(node: Node) -> Node:
    """Without the side remarks of a list: ``k in Z``, ``for all x in R``."""
    if node.args:
        node = node.having(*(tidy(part) if part.op in _TIDIED else part for part in node.args))
        node = reshaped(node)
    if node.op == "seq" and node.name in ("", "and") and (total := _compound(node.args)):
        return total
    if node.op == "seq" and node.name in ("", "and", "or"):
        kept = [part for part in node.args if not _is_remark(part) and not _is_index_range(part, node.args[0])]
        if len(kept) == 1:
            return kept[0]
        if kept and len(kept) < len(node.args):
            node = node.having(*kept)
    return node


def member(node: Node) -> Node:
    """``x in S`` as S."""
    kinds = ("seq", "union", "minus", "builder", "inter", "set")
    if (
        node.op == "rel"
        and node.name == "in"
        and node.args[1].op in kinds
        and (node.args[0].op in ("sym", "mul", "app") or _is_tuple_of_names(node.args[0]))
    ):
        return node.args[1]
    return node


def _is_tuple_of_names(node: Node) -> bool:
    return node.op == "seq" and node.name == "()" and all(part.op == "sym" for part in node.args)


def _compound(parts: tuple[Node, ...]) -> Node | None:
    """``3 hours 20 minutes`` as one quantity: the same dimension, each unit smaller than the one before."""
    measures = [measure(part.name) if part.op == "quantity" else None for part in parts]
    known = [found for found in measures if found]
    if len(known) != len(parts) or len(parts) < 2 or len({dimension for dimension, _ in known}) > 1:
        return None
    sizes = [size for _, size in known]
    if sizes != sorted(set(sizes), reverse=True):
        return None
    total = parts[0].args[0]
    for part, size in zip(parts[1:], sizes[1:], strict=True):
        total = Node("add", (total, Node("mul", (part.args[0], number(size / sizes[0])))))
    return parts[0].having(total)


def _is_remark(node: Node) -> bool:
    """Which numbers a parameter runs over."""
    return node.op == "rel" and node.name.split()[-1] in ("in", "notin") and node.args[-1].op == "set"


def _is_index_range(node: Node, first: Node) -> bool:
    """From which index on a formula in n holds: ``n >= 1`` behind ``a_n = 2^n``."""
    return node is not first and symbols(node) <= _INDICES and is_domain(node, first)


def is_domain(node: Node, formula: Node) -> bool:
    """For which values of its letter a formula holds: ``x != 0`` behind ``y = 1/x``."""
    if node.op != "rel" or set(node.name.split()) - {"<", ">", "<=", ">=", "!="} or len(symbols(node)) != 1:
        return False
    if formula.op in ("seq", "builder", "union") or (formula.op == "rel" and formula.name != "="):
        return False
    value = formula.args[-1] if formula.op == "rel" else formula
    return symbols(node) <= symbols(value)


def without_domain(node: Node) -> Node:
    """``y = 1/x, x != 0`` as ``y = 1/x``; anything else as it is."""
    if (
        node.op != "seq"
        or node.name not in ("", "and")
        or len(node.args) != 2
        or not is_domain(node.args[1], node.args[0])
    ):
        return node
    return node.args[0]


def expand(node: Node) -> Node:
    """``±`` as two answers; a list of lists as one list."""
    if node.op == "rel" and node.name.split()[0] == "=" and _has_sign(node.args[-1]):
        values = _signs(node.args[-1])
        label = node.args[0]
        return Node("seq", tuple(Node("rel", (label, value), name="=") for value in values))
    if node.op in ("pm", "mp", "add", "mul", "div", "neg", "pow", "fn", "quantity") and _has_sign(node):
        return Node("seq", tuple(_signs(node)))
    if node.op == "seq" and node.name in BRACKETS and any(_has_sign(part) for part in node.args):
        choices = [_signs(part) if _has_sign(part) else [part] for part in node.args]
        if 2 ** sum(len(choice) > 1 for choice in choices) > MAX_ITEMS:
            return node
        return Node("seq", tuple(node.having(*choice) for choice in product(*choices)))
    if node.op == "seq" and node.name not in BRACKETS and any(_has_sign(part) or is_bare(part) for part in node.args):
        flat: list[Node] = []
        for part in node.args:
            wide = expand(part)
            flat.extend(wide.args if is_bare(wide) else [wide])
        return node.having(*flat[:MAX_ITEMS])
    return node


def is_bare(node: Node) -> bool:
    return node.op == "seq" and node.name in ("", "and", "or")


def _has_sign(node: Node) -> bool:
    return any(part.op in ("pm", "mp") for part in walk(node)) if node.op != "seq" else False


def _signs(node: Node) -> list[Node]:
    """Both readings of ``±`` (upper signs together, lower signs together), without doubles."""

    def chosen(part: Node, upper: bool) -> Node:
        args = tuple(chosen(inner, upper) for inner in part.args)
        if part.op in ("pm", "mp"):
            positive = upper == (part.op == "pm")
            return Node("add", (args[0], args[1] if positive else Node("neg", (args[1],))))
        return part.having(*args) if args else part

    upper, lower = chosen(node, True), chosen(node, False)
    return [upper] if upper == lower else [upper, lower]

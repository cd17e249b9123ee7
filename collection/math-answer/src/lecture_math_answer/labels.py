"""The name before a value: what counts as one, and when two of them agree."""

import re
from dataclasses import dataclass
from itertools import permutations

from lecture_math_answer.equal import renamed
from lecture_math_answer.node import Node, substitute, symbols, terms, walk


@dataclass(frozen=True)
class Labelled:
    """A value and the name that stood before its equals sign."""

    label: Node | None
    value: Node


def labelled(node: Node) -> Labelled:
    """``x = 3`` as value 3 named x. Chains count by their last exact member: ``x = 2 + 1 = 3``."""
    if node.op != "rel":
        return Labelled(None, node)
    operators = node.name.split()
    if set(operators) - {"=", "~"}:
        return Labelled(None, node)
    head = node.args[0]
    if not is_label(head):
        return Labelled(None, node)
    exact = [node.args[index + 1] for index, operator in enumerate(operators) if operator == "="]
    return Labelled(head, exact[-1] if exact else node.args[1])


def is_label(node: Node) -> bool:
    """A name: a symbol, f(x), words, P(A), AB, S_1 : S, a tuple of names."""
    if node.op in ("sym", "word"):
        return node.name not in ("pi", "e", "i")
    if node.op == "app":
        return True
    if node.op in ("inter", "union", "minus") and all(part.op == "sym" for part in node.args):
        return True
    if node.op in ("add", "neg", "pow") and _is_of_sets(node):
        return True
    if node.op == "mul" and _is_numeral(node):
        return True
    if node.op == "mul":
        return all(part.op in ("sym", "mul", "app") for part in walk(node)) and (
            any(part.name[:1].isupper() for part in walk(node))
        )
    if node.op == "div" and all(
        "d" in symbols(part) and len(symbols(part)) == 2 and part.op in ("mul", "sym") for part in node.args
    ):
        return True
    if node.op in ("seq", "ratio", "div", "deg"):
        return bool(node.args) and all(is_label(part) for part in node.args)
    return node.op == "fn" and node.name in ("max", "min", "sin", "cos", "tan", "abs") and is_label(node.args[0])


def _is_of_sets(node: Node) -> bool:
    """``A - B``, ``A^c``: capital letters, a difference or a complement."""
    if node.op == "pow":
        return _is_of_sets(node.args[0]) and node.args[1].op == "sym" and node.args[1].name in ("c", "C")
    if node.op in ("add", "neg"):
        return all(_is_of_sets(part) for part in node.args)
    return node.op == "sym" and re.fullmatch(r"[A-Z]", node.name) is not None


def _is_numeral(node: Node) -> bool:
    """abc: three letters or more, as the digits of a number; not xyz, which is an unknown product."""
    parts = [part for part in walk(node) if part.op != "mul"]
    names = {part.name for part in parts if part.op == "sym" and len(part.name) == 1}
    return len(parts) == len(names) >= 3 and not names & {"x", "y", "z", "e", "i"}


def same_labels(gold: Node | None, response: Node | None) -> bool:
    """Names agree, or one of them is silent or of a free kind (words, subscripted, a function's name)."""
    if gold is None or response is None or gold == response:
        return True
    if gold.op == response.op == "sym" and len(gold.name) == len(response.name) == 1:
        return gold.name.lower() == response.name.lower()
    return True


def strip(gold: Labelled, response: Labelled) -> tuple[Node, Node]:
    """Both values, the response's function argument renamed to the gold's: f(m) = 2m beside f(n) = 2n."""
    one, two = gold.value, _in_order_of(gold.label, response)
    indices = _index(gold), _index(response)
    if all(indices) and indices[0] != indices[1] and indices[0] not in symbols(two):
        two = substitute(two, {indices[1]: indices[0]})  # a_k = 2^k beside a_n = 2^n
    if gold.label is not None and response.label is not None and gold.label.op == response.label.op == "app":
        mine = [part.name for part in gold.label.args if part.op == "sym"]
        theirs = [part.name for part in response.label.args if part.op == "sym"]
        if len(mine) == len(theirs) and mine != theirs and not set(mine) & symbols(two):
            two = substitute(two, dict(zip(theirs, mine, strict=True)))
    return one, two


def arguments_renamed(gold: Node, response: Node) -> Node:
    """The response with the gold's argument in all its functions: f(t) = t and f(t) = 2t beside f(x) = x, f(x) = 2x."""
    if gold.op != "seq" or response.op != "seq":
        return response
    mine, theirs = ({_argument(part) for part in side.args} for side in (gold, response))
    if len(mine) != 1 or len(theirs) != 1 or mine == theirs or None in mine | theirs:
        return response
    (old,), (new,) = theirs, mine
    return response if new in symbols(response) else substitute(response, {str(old): str(new)})


def _argument(node: Node) -> str | None:
    """``x`` of ``f(x) = …``."""
    if node.op != "rel" or node.args[0].op != "app" or len(node.args[0].args) != 1:
        return None
    inner = node.args[0].args[0]
    return inner.name if inner.op == "sym" else None


def _in_order_of(label: Node | None, response: Labelled) -> Node:
    """``(y, x) = (1, 2)`` in the order in which the gold answer has x and y."""
    other, value = response.label, response.value
    if label is None or other is None or label.op != "seq" or other.op != "seq" or value.op != "seq":
        return value
    if (
        len(other.args) != len(value.args)
        or len(set(other.args)) != len(other.args)
        or set(label.args) != set(other.args)
    ):
        return value
    named = dict(zip(other.args, value.args, strict=True))
    return value.having(*(named[name] for name in label.args))


def _index(side: Labelled) -> str:
    """``n`` of ``a_n = …``; empty where there is none."""
    match = re.fullmatch(r"[a-zA-Z]_\{?([a-z])\}?", side.label.name) if side.label is not None else None
    return match[1] if match else ""


_PARAMETERS = frozenset("knmtcCabdlsjpqKrAB") | {"lambda", "mu", "alpha", "beta", "gamma"}
_PERIODS = frozenset("knmjltqKN")
_CONSTANTS = frozenset("CcKk")


def parameters_renamed(gold: Node, response: Node) -> list[Node]:
    """The response with its parameters called as in the gold: pi/4 + k pi, f(x) = c x; not the unknowns themselves."""
    free = _constants_turned(labelled(gold).value, labelled(response).value)
    if free:
        return free
    if not all(_has_parameters(side) or _has_parameters(labelled(side).value) for side in (gold, response)):
        return []
    gold, response = labelled(gold).value, labelled(response).value
    if gold.op == response.op == "seq" and gold.name == "()":
        return renamed(gold, response)
    different = symbols(gold) ^ symbols(response)
    return renamed(gold, response) if different and different <= _PARAMETERS else []


def _constants_turned(gold: Node, response: Node) -> list[Node]:
    """``C_1 e^x + C_2 e^{-x}`` with its constants in each order: they are free, so that none is the first."""
    mine = sorted(name for name in symbols(gold) if _FREE.fullmatch(name))
    theirs = sorted(name for name in symbols(response) if _FREE.fullmatch(name))
    if not theirs:
        theirs = sorted((symbols(response) - symbols(gold)) & set("ABCD"))
    if not 2 <= len(mine) <= 4 or len(mine) != len(theirs):
        return []
    return [substitute(response, dict(zip(theirs, order, strict=True))) for order in permutations(mine)]


_FREE = re.compile(r"[cCkK]_\{?\d\}?")


def _has_parameters(node: Node) -> bool:
    """Families of solutions: a period beside a letter, a function with letters besides its argument, a tuple in one."""
    parts = walk(node)
    if node.op == "seq" and node.name == "()" and len(node.args) > 1 and len(symbols(node)) == 1:
        return True
    if any(
        part.op == "rel" and part.args[0].op == "app" and symbols(part.args[-1]) - symbols(part.args[0])
        for part in parts
    ):
        return True
    if node.op == "add" and any(part.op == "sym" and part.name in _CONSTANTS for part in terms(node)):
        return len(symbols(node)) > 1  # an antiderivative and its constant
    return any(
        part.op == "mul"
        and symbols(part)
        and symbols(part) <= _PERIODS
        and not any(inner.op == "pow" and symbols(inner) for inner in walk(part))
        and any(inner.op == "deg" or inner.name == "pi" for inner in walk(part))
        for part in parts
    )

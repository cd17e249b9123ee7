"""The tree that an answer is parsed into: one small immutable record a node."""

from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Node:
    """``op`` says what it is, ``args`` its parts, ``name`` a symbol, function, bracket pair or word.

    Ops: num sym word inf add mul div pow neg pm mp fact fn app abs floor ceil deg pct seq rel matrix union inter minus
    builder ratio quantity set statement. ``places``: digits after the point where a number was written as a decimal.
    """

    op: str
    args: tuple["Node", ...] = ()
    name: str = ""
    value: Fraction = Fraction(0)
    places: int | None = None

    def having(self, *args: "Node") -> "Node":
        """The same node over other parts."""
        return replace(self, args=args)


def number(value: int | Fraction) -> Node:
    return Node("num", value=Fraction(value))


def symbol(name: str) -> Node:
    return Node("sym", name=name)


def walk(node: Node) -> list[Node]:
    """The node and everything below it, parents first."""
    found, pending = [], [node]
    while pending:
        top = pending.pop()
        found.append(top)
        pending.extend(reversed(top.args))
    return found


def symbols(node: Node) -> set[str]:
    """Names of the free symbols; e, i and pi are constants."""
    return {part.name for part in walk(node) if part.op == "sym"} - CONSTANTS


def terms(node: Node) -> list[Node]:
    """The terms of a sum, itself where it is none."""
    return [*terms(node.args[0]), *terms(node.args[1])] if node.op == "add" else [node]


def substitute(node: Node, names: dict[str, str]) -> Node:
    """The node with symbols renamed."""
    if node.op == "sym":
        return replace(node, name=names.get(node.name, node.name))
    return node.having(*(substitute(part, names) for part in node.args)) if node.args else node


CONSTANTS = frozenset({"pi", "e", "i"})

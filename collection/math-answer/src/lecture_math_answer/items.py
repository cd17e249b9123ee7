"""The members of a list with their names and brackets: what they are, and whether their order says something."""

from lecture_math_answer.labels import Labelled, labelled
from lecture_math_answer.node import Node
from lecture_math_answer.tidy import MAX_ITEMS


def spread(node: Node) -> Node:
    """``(x, y) = (1, 2)`` and ``x = {1, 2}`` as what they name; ``x = 1, 2`` as a list of values of x."""
    if node.op == "rel":
        named = labelled(node)
        if named.label is not None and named.value.op == "seq":
            return named.value
    return node


def items(node: Node) -> list[Labelled]:
    parts = node.args if node.op == "seq" else (node,)
    items = [labelled(spread(part) if part.op == "rel" else part) for part in parts[:MAX_ITEMS]]
    names = [item.label for item in items]
    if len(names) > 1 and names[0] is not None and all(name is None for name in names[1:]):
        items[0] = Labelled(None, items[0].value)
    if len(names) > 1 and (all(name is not None and name == names[0] for name in names) or _eigenvalues(names)):
        items = [Labelled(None, item.value) for item in items]
    return items


def _eigenvalues(names: list[Node | None]) -> bool:
    """lambda_1, lambda_2: numbered for no reason, since eigenvalues have no order."""
    return all(name is not None and name.op == "sym" and name.name.startswith("lambda_") for name in names)


def kind(node: Node) -> str:
    return node.name if node.op == "seq" and node.name not in ("and", "or") else ""


def distinct(labels: list[Node | None]) -> bool:
    return all(label is not None for label in labels) and len(set(labels)) == len(labels) and len(labels) > 1


def letters(labels: list[Node | None]) -> bool:
    return all(label is not None and label.op == "sym" for label in labels)


def have_an_order(labels: list[Node | None]) -> bool:
    """x, y, z or a, b, c: names whose order everybody knows."""
    names = "".join(sorted(label.name for label in labels if label is not None and label.op == "sym"))
    return len(names) == len(labels) > 1 and names in (
        "xy",
        "xyz",
        "ab",
        "abc",
        "abcd",
        "mn",
        "pq",
        "pqr",
        "uv",
        "uvw",
        "st",
    )


def numbered(labels: list[Node | None]) -> bool:
    """x_1, x_2: solutions of one unknown, in any order."""
    names = [label.name if label is not None and label.op == "sym" else "" for label in labels]
    return len({name[:2] for name in names}) == 1 and names[0][:2] in ("x_", "z_", "t_", "k_", "m_", "a_")


def brackets_agree(gold: str, response: str, size: int) -> bool:
    if gold == response:
        return True
    if "{}" in (gold, response):
        return "" in (gold, response)
    if "" in (gold, response):  # [a, b] is an interval, not its two ends
        return "()" in (gold, response) or ("[]" in (gold, response) and size >= 3)
    return {gold, response} == {"()", "[]"} and size >= 3


def unique(nodes: list[Node]) -> list[Node]:
    kept: list[Node] = []
    for node in nodes:
        if not any(node == other for other in kept):
            kept.append(node)
    return kept

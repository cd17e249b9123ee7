"""What the prompt asks of an answer besides its value: an order, a product, a sum, and not its own exercise again."""

import re

from lecture_math_answer.clean import clean
from lecture_math_answer.equal import number_of
from lecture_math_answer.node import Node, symbols, walk

_FIRST = r"(?:^|[.:;!?)]\s+|\bplease\s+|\band\s+|\bthen\s+)(?:completely\s+|fully\s+)?"
_ORDER = re.compile(
    rf"{_FIRST}(?:order|arrange|sort|rank|put)\b.{{0,300}}?\b(?:from|in)\s+(?:the\s+)?(?:order\s+(?:from|of)\b|order[.:]|least|greatest|smallest|largest|lowest|highest"
    r"|ascending|descending|increasing|decreasing|shortest|longest)",
    re.IGNORECASE | re.DOTALL,
)
_FACTOR = re.compile(rf"{_FIRST}(?:factor(?:i[sz]e)?)\b(?!ial)", re.IGNORECASE)
_EXPAND = re.compile(rf"{_FIRST}(?:expand|multiply\s+out)\b|\bin\s+expanded\s+form\b", re.IGNORECASE)


def is_other_form(candidate: str, theirs: Node, mine: Node, prompt: str) -> bool:
    """Whether the answer lacks what the prompt asks for, though its value may be right."""
    if not prompt:
        return False
    if _repeats_exercise(candidate, theirs, mine, prompt):
        return True
    mine, theirs = _side(mine), _side(theirs)
    if _FACTOR.search(prompt) and not _EXPAND.search(prompt):
        return factors(theirs) < factors(mine) and factors(mine) > 1
    if _EXPAND.search(prompt) and not _FACTOR.search(prompt):
        return mine.op == "add" and not _has_open_product(mine) and _has_open_product(theirs)
    return False


def ordered(node: Node, prompt: str) -> Node:
    """A bare list, or a chain such as a < b < c, as a tuple, where the prompt asks to put things in order."""
    is_list = node.op == "seq" and node.name in ("", "and") and len(node.args) > 1
    is_list = is_list or (
        node.op == "rel" and node.name.split() in (["<"] * (len(node.args) - 1), [">"] * (len(node.args) - 1))
    )
    return Node("seq", node.args, name="()") if is_list and prompt and _ORDER.search(prompt) else node


def _side(node: Node) -> Node:
    """What stands right of the last equals sign."""
    return node.args[-1] if node.op == "rel" and node.name == "=" and node.args else node


def factors(node: Node) -> int:
    """How many factors with a letter in it a product has, powers by their exponent."""
    if not symbols(node):
        return 0
    if node.op == "neg":
        return factors(node.args[0])
    if node.op in ("mul", "div"):
        return sum(factors(part) for part in node.args)
    if node.op == "pow" and node.args[1].op == "num" and 1 < node.args[1].value < 50:
        return int(node.args[1].value) * factors(node.args[0])
    return 1


def _has_open_product(node: Node) -> bool:
    """Whether a bracket with letters in it is still to be multiplied out."""
    return any(
        part.op in ("mul", "pow")
        and any(inner.op == "add" and symbols(inner) for inner in part.args[: 1 + (part.op == "mul")])
        for part in walk(node)
    )


def _repeats_exercise(candidate: str, theirs: Node, mine: Node, prompt: str) -> bool:
    """Sums that the prompt itself sets, handed back unworked where a plain number was wanted."""
    if mine.op not in ("num", "neg") or theirs.op not in ("add", "mul", "div", "pow"):
        return False
    worked = sum(part.op in ("add", "mul", "pow", "fact") for part in walk(theirs))
    if not worked or number_of(theirs) is None:
        return False
    squeezed = re.sub(r"[\s$\\{}]|cdot|times|\*", "", clean(candidate))
    return len(squeezed) > 2 and squeezed in re.sub(r"[\s$\\{}]|cdot|times|\*", "", clean(prompt))

r"""Sets that people describe: perfect squares, powers of two, all positive reals; tuples "and their permutations"."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from itertools import permutations

from lecture_math_answer.node import Node

_SMALL = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_HEAD = r"\s*(?:(?:the\s+set\s+of\s+|all\s+|the\s+|every\s+|any\s+)*|[a-zA-Z]\s+(?:is|must\s+be|has\s+to\s+be|are)\s+(?:an?\s+|any\s+)?)"
_SHAPE = re.compile(
    _HEAD
    + r"(?:(?:positive|integer|nonnegative)\s+)?(?:perfect\s+)?(?:(?P<square>squares?(?:\s+numbers?)?)|(?P<cube>cubes?)|(?P<prime>primes?(?:\s+numbers?)?)|powers?\s+of\s+(?P<base>\d+|"
    + "|".join(_SMALL)
    + r"))(?:\s+(?:integers?|numbers?))?\s*\.?\s*",
    re.IGNORECASE,
)
_FORMULA = re.compile(
    r"(?:[a-zA-Z]\s*=\s*)?(?:(?P<base>\d+)\s*\^\s*\{?\s*(?P<exponent>[a-z])\s*\}?|(?P<letter>[a-z])\s*\^\s*\{?\s*(?P<power>[23])\s*\}?)"
    r"\s*(?P<stated>(?:,|where|for|with|\().*(?:integer|\\in|\\ge|natural).*)?\s*"
)
_SETS = [
    (re.compile(_HEAD + r"(?:strictly\s+)?positive(?:\s+(?:reals?|real\s+(?:numbers?|values?)))(?:\s+[a-z])?\s*\.?\s*", re.IGNORECASE), r"(0, \infty)"),
    (re.compile(_HEAD + r"non-?\s?negative(?:\s+(?:reals?|real\s+(?:numbers?|values?)))(?:\s+[a-z])?\s*\.?\s*", re.IGNORECASE), r"[0, \infty)"),
    (re.compile(_HEAD + r"negative(?:\s+(?:reals?|real\s+(?:numbers?|values?)))(?:\s+[a-z])?\s*\.?\s*", re.IGNORECASE), r"(-\infty, 0)"),
    (re.compile(_HEAD + r"(?:positive\s+(?:integers?|whole\s+numbers?))(?:\s+[a-z])?\s*\.?\s*", re.IGNORECASE), r"\mathbb{Z}^+"),
    (re.compile(r"\s*(?:(?:the\s+set\s+of\s+|all\s+|the\s+|every\s+|any\s+)+)(?:integers?)(?:\s+[a-z])?\s*\.?\s*", re.IGNORECASE), r"\mathbb{Z}"),
    (re.compile(r"\s*(?:(?:the\s+set\s+of\s+|all\s+|the\s+|every\s+|any\s+)+)(?:rationals?|rational\s+numbers?)(?:\s+[a-z])?\s*\.?\s*", re.IGNORECASE), r"\mathbb{Q}"),
    (re.compile(r"\s*([a-z])\s+(?:is|must\s+be)\s+(?:strictly\s+)?positive\s*\.?\s*"), "@ > 0"),
    (re.compile(r"\s*([a-z])\s+(?:is|must\s+be)\s+non-?\s?negative\s*\.?\s*"), r"@ \ge 0"),
    (re.compile(r"\s*([a-z])\s+(?:is|must\s+be)\s+negative\s*\.?\s*"), "@ < 0"),
]  # fmt: skip
_POSITIVE_REALS = re.compile(r"\\mathbb\s*\{?\s*R\s*\}?\s*[_^]\s*(?:\{\s*)?(?:>\s*0|\+|\*_\+|\+\s*\*)(?:\s*\})?")
_NONNEGATIVE_REALS = re.compile(
    r"\\mathbb\s*\{?\s*R\s*\}?\s*_\s*\{\s*(?:\\geq?(?:slant)?|>=)\s*0\s*\}|\\mathbb\s*\{?\s*R\s*\}?\s*_\s*0\s*\^\s*\{?\s*\+\s*\}?"
)
_POSITIVE_INTEGERS = re.compile(
    r"\\mathbb\s*\{?\s*Z\s*\}?\s*_\s*\{\s*(?:>\s*0|\\geq?\s*1|\+)\s*\}|^\s*\\\{\s*1\s*,\s*2\s*,\s*(?:3\s*,\s*)?(?:4\s*,\s*)?\\(?:dots|ldots|cdots)\s*\\\}\s*$"
)
_PERMUTED = re.compile(
    r"^(?P<body>.*\))\s*[,;]?\s*(?:and|up\s+to|or|with|plus|together\s+with|along\s+with)\s+(?:(?:all|any|its|their|the|of|other|possible|every)\s+)*(?P<cyclic>cyclic\s+)?permutations?\b[^()\d]*$",
    re.IGNORECASE | re.DOTALL,
)
_MOST_PERMUTED = 5


def same_description(gold: str, response: str) -> bool | None:
    """The verdict where one side describes squares, cubes or powers in words and the other describes such numbers too."""
    one, two = _kind(gold), _kind(response)
    if one is None or two is None or not (one[1] or two[1]):
        return None
    return one[0] == two[0]


def _kind(text: str) -> tuple[str, bool] | None:
    """(what they are, whether they are said to be all of these)."""
    text = text.strip().strip("$").strip()
    match = _SHAPE.fullmatch(text)
    if match:
        base = match["base"]
        return (
            "squares"
            if match["square"]
            else "cubes"
            if match["cube"]
            else "primes"
            if match["prime"]
            else f"powers of {_SMALL.get(base.lower(), base)}"
        ), True
    match = _FORMULA.fullmatch(text)
    if match is None:
        return None
    return (f"powers of {match['base']}" if match["base"] else {"2": "squares", "3": "cubes"}[match["power"]]), bool(
        match["stated"]
    )


def named_sets(plain: str) -> str:
    """Sets of numbers in words, and their further spellings, as formulas."""
    for pattern, formula in _SETS:
        match = pattern.fullmatch(plain)
        if match:
            return formula.replace("@", match[match.lastindex] if match.lastindex else "")
    if "\\mathbb" in plain or "dots" in plain:
        plain = _NONNEGATIVE_REALS.sub(r"[0, \\infty)", plain)
        plain = _POSITIVE_INTEGERS.sub(r"\\mathbb{Z}^+", _POSITIVE_REALS.sub(r"(0, \\infty)", plain))
    return plain


def without_permutations(plain: str) -> tuple[str, str]:
    """(the text, how it asks for permutations: "", "all" or "cyclic")."""
    match = _PERMUTED.match(plain)
    if match is None:
        return plain, ""
    return match["body"], "cyclic" if match["cyclic"] else "all"


def permuted(node: Node, kind: str) -> Node:
    """Every tuple of ``node`` with its permutations, each once."""
    tuples = node.args if node.op == "seq" and node.name != "()" else (node,)
    found: dict[tuple[Node, ...], None] = {}
    for item in tuples:
        if item.op != "seq" or item.name != "()" or len(item.args) > _MOST_PERMUTED:
            return node
        turned = (
            permutations(item.args)
            if kind == "all"
            else (item.args[at:] + item.args[:at] for at in range(len(item.args)))
        )
        found.update(dict.fromkeys(turned))
    return Node("seq", tuple(Node("seq", args, name="()") for args in found))

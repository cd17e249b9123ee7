"""Sums of money are worked out: "5 - 4.25", "$1.50 + $0.25"; but not "3 x 25 cents"."""

import ast
import operator
import re
from fractions import Fraction

LONGEST = 100
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def calculate(text):
    """The value in dollars when ``text`` ends with nothing but arithmetic on dollars, else None."""
    said = re.split(r"[:;,]|[.](?=\s)|\b(?:is|are|so|gives|get|gets)\b", text)[-1]
    plain = re.sub(r"\bdollars?\b|[$]", " ", said).replace("×", "*").replace("÷", "/").replace(" x ", " * ").strip()
    if (
        len(plain) > LONGEST
        or not re.fullmatch(r"[-+*/().\d\s]*\d[)\s]*", plain)
        or re.search(r"\d\s+\d|//|\*\*", plain)
    ):
        return None
    try:
        tree = ast.parse(plain, mode="eval").body
        return value_of(tree) if isinstance(tree, ast.BinOp) else None
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def value_of(node):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return Fraction(str(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -value_of(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](value_of(node.left), value_of(node.right))
    raise ValueError("not arithmetic")

"""Numbers as people write them, exactly: 1,234.50 · $42 · 4.2e1 · 84/2 · forty-two."""

import ast
import operator
import re
from fractions import Fraction

# A run of more than forty digits is no answer, and Python refuses to read thousands of them.
_DIGITS = r"(?:\d{1,3}(?:[,\u00a0\u202f ]\d{3}){1,12}(?!\d)|\d{1,40})"
NUMBER = rf"(?<![\w.])[-−–]?(?:{_DIGITS}(?:\.\d{{1,40}})?|\.\d{{1,40}})(?:[eE][-+]?\d{{1,3}})?(?![\d])"
_NUMBER = re.compile(NUMBER)
_GROUPING = re.compile(r"(?<=\d)[,\u00a0\u202f ](?=\d{3}(?!\d))")
_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_UNITS = {word: value for value, word in enumerate(f"{_ONES} seventeen eighteen nineteen".split(" "))}
_TENS = {
    word: 10 * (place + 2)
    for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(" "))
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6}
_WORDS = re.compile(
    rf"\b(?:{'|'.join([*_UNITS, *_TENS])})(?:[\s-]+(?:and[\s-]+)?(?:{'|'.join([*_UNITS, *_TENS, *_SCALES])}))*\b",
    re.IGNORECASE,
)
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def read_number(text: str) -> Fraction:
    """The value of one number as :data:`NUMBER` matches it."""
    plain = _GROUPING.sub("", text).replace("−", "-").replace("–", "-")
    return Fraction(plain)


def numbers_in(text: str) -> list[Fraction]:
    """Every number in ``text``, in order."""
    return [read_number(match.group()) for match in _NUMBER.finditer(text)]


def spell_out(text: str) -> str:
    """``text`` with its number words as digits: ``forty-two apples`` -> ``42 apples``."""
    return _WORDS.sub(lambda match: str(_value_of_words(match.group())), text)


def _value_of_words(words: str) -> int:
    total = part = 0
    for word in re.split(r"[\s-]+", words.lower()):
        if word in _SCALES and _SCALES[word] == 100:
            part = max(part, 1) * 100
        elif word in _SCALES:
            total, part = total + max(part, 1) * _SCALES[word], 0
        elif word != "and":
            part += _UNITS.get(word, _TENS.get(word, 0))
    return total + part


def calculate(text: str) -> Fraction | None:
    """The value of ``text`` when it is nothing but arithmetic (``3 * (4 + 1)``, ``$12 x 2``, ``60%``), else None."""
    plain = _GROUPING.sub("", re.sub(r"[$£€\s]", lambda m: " " if m.group().isspace() else "", text)).strip()
    plain = plain.replace("×", "*").replace("÷", "/").replace("−", "-").replace("–", "-").replace("%", "/100")
    plain = re.sub(r"(?<=[\d)\s])[xX](?=[\s\d(])", "*", plain)
    if not plain or len(plain) > 200 or not re.fullmatch(r"[\d\s.+\-*/()]+", plain) or "**" in plain or "//" in plain:
        return None
    try:
        return _evaluate(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        return None


def _evaluate(node: ast.AST) -> Fraction:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return Fraction(str(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _evaluate(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    raise ValueError("not arithmetic")

"""Numbers as people write them, exactly: 1,234.50 · $42 · 4.2e1 · 84/2 · forty-two."""

import ast
import operator
import re
from fractions import Fraction

# A run of more than forty digits is no answer, and Python refuses to read thousands of them.
_DIGITS = r"(?:\d{1,3}(?:[,\u00a0\u202f ]\d{3}){1,12}(?!\d)|\d{1,40})"
NUMBER = rf"(?<![A-Za-z0-9_.])[-−–]?(?:{_DIGITS}(?:\.\d{{1,40}})?|\.\d{{1,40}})(?:[eE][-+]?\d{{1,3}})?(?![\d])"
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
_SCALED = re.compile(
    rf"({NUMBER})(?:\s*(?P<word>hundred|thousand|million|billion)s?\b|(?P<letter>[kK])(?![A-Za-z0-9]))", re.IGNORECASE
)
_SIGN_WORDS = re.compile(r"(?:\bnegative|(?<![\d)%A-Za-z])(?<![\d)%A-Za-z] )\bminus)\s+(?=\d)", re.IGNORECASE)
_POWER_OF_UNIT = re.compile(r"(?<=[A-Za-z])\^\{?\d\}?")
_VULGAR = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}
_AND_A_HALF = re.compile(r"(?<![\w.,/])(\d{1,9}) and (?:a|one) half\b", re.IGNORECASE)
_MIXED = re.compile(r"(?<![\w.,/])(\d{1,9})\s+(\d{1,3})/(\d{1,3})(?![\d/])")
_LONE_FRACTION = re.compile(r"(?<![\w.,/)(*+-])(\d{1,9})/(\d{1,9})(?=\s+[A-Za-z]|[.!]?\s*\Z)")
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def read_number(text: str) -> Fraction:
    """The value of one number as :data:`NUMBER` matches it."""
    plain = _GROUPING.sub("", text).replace("−", "-").replace("–", "-")
    return Fraction(plain)


def numbers_in(text: str) -> list[Fraction]:
    """Every number in ``text``, in order."""
    return [read_number(match.group()) for match in _NUMBER.finditer(text)]


def spell_out(text: str) -> str:
    """``text`` with what changes a number worked into it: ``forty-two apples`` -> ``42 apples``, ``3k`` -> ``3000``.

    Number words, scales (``2 million``), signs (``negative 5``) and fractions (``2 1/2``, ``½``) become digits. The
    power of a unit (``m^2``) is no number.
    """
    for character, plain in _VULGAR.items():
        text = text.replace(character, f" {plain}")
    text = _WORDS.sub(lambda match: _value_of_words(match.group()) or match.group(), _POWER_OF_UNIT.sub("", text))
    text = _SIGN_WORDS.sub("-", _SCALED.sub(_scaled, text))
    text = _AND_A_HALF.sub(r"\1.5", text)
    text = _MIXED.sub(lambda m: _decimal(int(m[1]) + Fraction(int(m[2]), int(m[3]) or 1)), text)
    return _LONE_FRACTION.sub(lambda m: _decimal(Fraction(int(m[1]), int(m[2]) or 1)), text)


def _scaled(match: re.Match[str]) -> str:
    scale = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}.get(
        (match["word"] or "").lower(), 1000
    )
    return _decimal(read_number(match[1]) * scale)


def _decimal(value: Fraction) -> str:
    """``value`` as :func:`read_number` reads it back; what has no end as a decimal stays a quotient."""
    if value.denominator == 1:
        return str(value.numerator)
    scaled = value * 10**12
    return f"{float(value):.12g}" if scaled.denominator == 1 else f"({value.numerator}/{value.denominator})"


def _value_of_words(words: str) -> str | None:
    """The number that ``words`` name; None for what is none ("thirty twelve")."""
    total = part = 0
    for word in re.split(r"[\s-]+", words.lower()):
        if word in _SCALES and _SCALES[word] == 100:
            if part >= 100:
                return None
            part = max(part, 1) * 100
        elif word in _SCALES:
            total, part = total + max(part, 1) * _SCALES[word], 0
        elif word != "and":
            value = _UNITS.get(word, _TENS.get(word, 0))
            room = 100 if part % 100 == 0 else 10 if part % 10 == 0 and part % 100 >= 20 else 0
            if value >= room or (part and value == 0):
                return None
            part += value
    return str(total + part)


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

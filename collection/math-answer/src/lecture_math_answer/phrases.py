r"""Short statements with mathematics in them: ``increasing on (3, ∞)``, ``the fourth quadrant``, ``True, False, True``.

A statement is its words, without those that only join, in a common form, and its formulas; formulas are compared by
value. Words that mean the opposite, or another number beside the same words, make another statement.
"""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from collections.abc import Sequence

from lecture_math_answer.clean import clean
from lecture_math_answer.compare import same_answer
from lecture_math_answer.reading import numbered_parts, readings
from lecture_math_answer.units import measure, singular

Piece = tuple[str, str]
"""("word" | "formula", its text)."""
_SAME = (
    (r"\b(?:if and only if|exactly (?:when|if|for)|precisely (?:when|if|for)|iff|just when)\b", " iff "),
    (r"\b(?:does not|do not|doesn't|don't) converge\b|\bdivergent\b|\bis not convergent\b", " diverges "),
    (r"\b(?:does not|do not|doesn't|don't) diverge\b|\bconvergent\b|\bis not divergent\b", " converges "),
    (r"\b(?:maximum|maximal|max|greatest|largest)(?: value)?(?: of)?\b", " maximum "),
    (r"\b(?:minimum|minimal|min|least|smallest)(?: value)?(?: of)?\b", " minimum "),
    (r"\b(?:other than|apart from|but not|excluding|without|except(?: for)?)\b|\\setminus", " except "),
    (r"\bevery\b|\beach\b|\bany\b", " all "),
    (r"\bodd function\b", " odd "), (r"\beven function\b", " even "),
    (r"\bneither (\w+) nor (\w+)\b", r" neither\1\2 "),
    (r"\bdne\b|\b(?:does not|doesn't|do not) exist\b", " nonexistent "),
)  # fmt: skip
_SAME_READ = [(re.compile(pattern, re.IGNORECASE), word) for pattern, word in _SAME]
_ROMANS = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6}
_NUMBERED = "quadrant|case|type|statement|stage|octant|class|grade|law|row|column"
_ROMAN = re.compile(rf"\b({_NUMBERED})\s+(IV|VI|I{{1,3}}|V)\b|\b(IV|VI|I{{2,3}}|V)\s+({_NUMBERED})\b", re.IGNORECASE)
_ORDINALS = dict(zip("first second third fourth fifth sixth seventh eighth".split(), range(1, 9), strict=True))
_ORDINAL = re.compile(rf"\b(?:({'|'.join(_ORDINALS)})|(\d+)(?:st|nd|rd|th))\b", re.IGNORECASE)
_FILLING = frozenset(
    "a an the it is are was be in on at of for with when where to lies lie located series sequence limit function value that this"
    " answer so then we have has there f statement graph curve point its only n and or if".split()
)
_OPPOSITE = (
    {"odd", "even"}, {"increasing", "decreasing"}, {"maximum", "minimum"}, {"converges", "diverges"}, {"rising", "falling"},
    {"concave", "convex"}, {"inside", "outside"}, {"above", "below"}, {"left", "right"}, {"rational", "irrational"},
    {"continuous", "discontinuous"}, {"dependent", "independent"}, {"acute", "obtuse"}, {"up", "down"}, {"win", "lose"},
)  # fmt: skip
_TOKEN = re.compile(r"(?P<word>(?<![\\A-Za-z])[A-Za-z]{2,}(?:'[a-z]+)?)|(?P<rest>(?:(?![A-Za-z]{2,}).)+)", re.DOTALL)
_NAME = re.compile(r"(?<![A-Za-z\\])[A-Z][a-z]+")
_TRUTH = {"t": True, "true": True, "f": False, "false": False}


def same_phrase(gold: str, response: str) -> bool | None:
    """The verdict where both are statements; None where one is none, or nobody but a reader can tell."""
    truths = _truths(gold), _truths(response)
    if truths[0] is not None:
        return truths[0] == truths[1] if truths[1] is not None else None
    one, two = _pieces(gold), _pieces(response)
    mine, theirs = ([text for kind, text in side if kind == "word"] for side in (one, two))
    if not mine or not theirs:
        return None
    if any(measure(word) for word in mine) or "permutation" in mine:
        return None  # quantities, which are compared by their units; all orders of a tuple
    if sorted(mine) != sorted(theirs):
        names = {singular(name.lower()) for text in (gold, response) for name in _NAME.findall(text)}
        return False if _says_another_thing(mine, theirs, names) else None
    formulas = [[text for kind, text in side if kind == "formula"] for side in (one, two)]
    if not formulas[0] and not formulas[1]:
        return True if mine == theirs else None
    if len(formulas[0]) != len(formulas[1]):
        return None
    if mine != theirs and len(mine) > 1:
        return None
    return _same_formulas(formulas[0], formulas[1])


def _same_formulas(mine: Sequence[str], theirs: Sequence[str]) -> bool | None:
    """Formula by formula; None where one cannot be read."""
    verdicts = []
    for one, two in zip(mine, theirs, strict=True):
        read = readings(one), readings(two)
        if not all(read):
            if _squeezed(one) != _squeezed(two):
                return None
            verdicts.append(True)
            continue
        verdicts.append(any(same_answer(a, b) for a in read[0] for b in read[1]))
    return all(verdicts)


def _pieces(text: str) -> list[Piece]:
    text = clean(text).strip(" .")
    text = _ROMAN.sub(_with_number, text)
    text = _ORDINAL.sub(lambda one: f" {_ORDINALS[one[1].lower()] if one[1] else one[2]} ", text)
    for pattern, word in _SAME_READ:
        text = pattern.sub(word, text)
    found: list[Piece] = []
    commands = list(dict.fromkeys(_COMMAND.findall(text)))[:200]
    signs = {command: chr(_PRIVATE + at) for at, command in enumerate(commands)}
    for match in _TOKEN.finditer(_COMMAND.sub(lambda one: signs.get(one[0], one[0]), text)):
        if match["word"]:
            word = singular(match["word"].lower())
            if match["word"].lower() not in _FILLING and word not in _FILLING:
                found.append(("word", word))
            continue
        formula = "".join(
            commands[ord(one) - _PRIVATE] + " " if one in signs.values() else one for one in match["rest"]
        )
        formula = formula.strip(" ,.;:$")
        if re.search(r"[\w\\]", formula) and formula.lower() not in _FILLING:
            found.append(("formula", formula))
    return _joined(found)


_COMMAND = re.compile(r"\\[A-Za-z]+")
_PRIVATE = 0xE000
"""A command is one character while words are looked for."""


def _joined(pieces: list[Piece]) -> list[Piece]:
    """A number before its noun behind it: ``4 quadrant`` as ``quadrant 4``."""
    if len(pieces) == 2 and pieces[0][0] == "formula" and pieces[0][1].isdigit() and pieces[1][1] in _NUMBERED:
        return [pieces[1], pieces[0]]
    return pieces


def _with_number(match: re.Match[str]) -> str:
    noun, roman = (match[1], match[2]) if match[1] else (match[4], match[3])
    return f"{noun} {_ROMANS[roman.upper()]}"


def _says_another_thing(mine: list[str], theirs: list[str], names: set[str]) -> bool:
    """Alike but for words that mean the opposite, or for one name."""
    if len(mine) != len(theirs):
        return False
    differing = [{one, two} for one, two in zip(mine, theirs, strict=True) if one != two]
    another_name = len(mine) >= 3 and len(differing) == 1 and differing[0] <= names
    return bool(differing) and (another_name or all(pair in _OPPOSITE for pair in differing))


def _squeezed(text: str) -> str:
    return re.sub(r"[\s{}$]", "", text)


def _truths(text: str) -> tuple[bool, ...] | None:
    """``True, False, True``, ``T, F, T``, ``(1) true (2) false`` as truth values in their order; at least two."""
    plain = clean(text).strip(" .")
    parts = numbered_parts(plain) or re.split(r"\s*(?:[,;]|\band\b|\s)\s*", plain)
    found = [_TRUTH.get(part.strip(" .").lower()) for part in parts if part.strip(" .")]
    known = [one for one in found if one is not None]
    return tuple(known) if len(known) == len(found) >= 2 else None

r"""Statements in signs: ``(p \land q) \lor \neg r``, and lines that are parallel or stand upright on one another."""

import itertools
import re

_SIGNS = (
    (r"\\(?:leftrightarrow|Leftrightarrow|iff)(?![a-zA-Z])|↔|⇔", "="),
    (r"\\(?:rightarrow|Rightarrow|to|implies)(?![a-zA-Z])|→|⇒", ">"),
    (r"\\(?:land|wedge)(?![a-zA-Z])|∧|\b(?:and|AND)\b", "&"),
    (r"\\(?:lor|vee)(?![a-zA-Z])|∨|\b(?:or|OR)\b", "|"),
    (r"\\(?:neg|lnot)(?![a-zA-Z])|¬|\b(?:not|NOT)\b", "!"),
)
_ANGLE = re.compile(r"\s*\$?\s*(?:\\angle|∠)\s*([A-Z]{1,3})\s*\$?\s*\.?\s*")
_IF_THEN = re.compile(r"^[Ii]f ([a-z]),? then ([a-z])$")
_TEXT = re.compile(r"\\(?:text|mathrm|mathit)\s*\{([^{}]*)\}")
_FORMULA = re.compile(r"[A-Za-z()&|!>=\s]+")
_MOST_LETTERS, _MOST_CHARACTERS = 6, 200
_LINES = re.compile(
    r"\s*\$?\s*([A-Z])\s*([A-Z])\s*(?:\\math(?:bin|rel)\s*\{\s*)?(\\parallel|∥|\\perp|⊥|⟂)(?:\s*\})?\s*([A-Z])\s*([A-Z])\s*\$?\s*\.?\s*"
)


def same_statement(gold: str, response: str) -> bool | None:
    """The verdict where both are formulas of logic, or both are about two lines; else None. Both texts: as written.

    Formulas are the same where their tables of truth are. Lines are the same whichever stands first, and whichever of
    its points.
    """
    gold, response = (_TEXT.sub(r"\1", text) for text in (gold, response))
    quantified = _QUANTIFIER.findall(gold), _QUANTIFIER.findall(response)
    if (
        quantified[0]
        and re.match(r"[\s$({[]*(?:\\(?:exists|nexists|forall)(?![a-zA-Z])|[∃∄∀])", gold)
        and _kinds(quantified[0]) != _kinds(quantified[1])
    ):
        return False
    angles = _ANGLE.fullmatch(gold), _ANGLE.fullmatch(response)
    if all(angles):
        return angles[1] is not None and angles[0] is not None and angles[1][1] in (angles[0][1], angles[0][1][::-1])
    triangles = _triangles(gold), _triangles(response)
    if all(triangles):
        return triangles[0] == triangles[1]
    lines = _lines(gold), _lines(response)
    if all(lines):
        return lines[0] == lines[1]
    tables = _table(gold), _table(response)
    if tables[0] is None or tables[1] is None:  # p -> q beside not p or q
        tables = _table(gold, arrows=True), _table(response, arrows=True)
        if not all(table is not None and set(table) <= set("pqrs") for table in tables):
            return None
    if tables[0] is None or tables[1] is None:
        return None
    letters = sorted({*tables[0], *tables[1]})
    return all(
        _true(tables[0], dict(zip(letters, row, strict=True))) == _true(tables[1], dict(zip(letters, row, strict=True)))
        for row in itertools.product((False, True), repeat=len(letters))
    )


_QUANTIFIER = re.compile(
    r"(\\nexists(?![a-zA-Z])|∄|(?:\\neg|\\lnot|\\not|¬|\bnot)\s*(?:\\exists(?![a-zA-Z])|∃)|(?:\\neg|\\lnot|¬|\bnot)\s*(?:\\forall(?![a-zA-Z])|∀)"
    r"|\\exists(?![a-zA-Z])|∃|\\forall(?![a-zA-Z])|∀"
    r"|\b[Tt]here (?:exists?|is|are)\b|\b[Ff]or (?:all|every|each|any|some)\b)"
)


def _kinds(quantifiers: list[str]) -> list[str]:
    """Each quantifier as ``all``, ``some``, and what denies it."""
    return [
        ("not " if re.search(r"nexists|∄|neg|lnot|not|¬", one) else "")
        + ("all" if re.search(r"forall|∀|all|every|each|any", one) else "some")
        for one in quantifiers
    ]


def _lines(text: str) -> tuple[str, frozenset[frozenset[str]]] | None:
    """What is said of which two lines."""
    found = _LINES.fullmatch(text)
    if found is None:
        return None
    sign = "parallel" if found[3] in ("\\parallel", "∥") else "upright"
    return sign, frozenset({frozenset(found[1] + found[2]), frozenset(found[4] + found[5])})


def _triangles(text: str) -> tuple[str, frozenset[frozenset[str]]] | None:
    """Which two triangles are similar or congruent: the pairs of corners that belong together."""
    found = _TRIANGLES.fullmatch(text)
    if found is None:
        return None
    sign = "congruent" if found[2] in ("\\cong", "≅", "\\equiv") else "similar"
    return sign, frozenset(frozenset({one, two}) for one, two in zip(found[1], found[3], strict=True))


_TRIANGLES = re.compile(
    r"\s*\$?\s*(?:\\triangle|△|∆|\\Delta)\s*([A-Z]{3})\s*(\\sim|∼|~|\\cong|≅|\\equiv)\s*(?:\\triangle|△|∆|\\Delta)\s*([A-Z]{3})\s*\$?\s*\.?\s*"
)


class _Formula:
    """A formula over letters, read by precedence: not, and, or, implies, equals."""

    def __init__(self, text: str) -> None:
        self.signs, self.at = text.replace(" ", ""), 0
        self.tree = self._level(0)
        if self.at < len(self.signs):
            raise ValueError(self.signs[self.at :])

    def _level(self, depth: int) -> tuple:
        if depth == 4:
            return self._single()
        left = self._level(depth + 1)
        while self.signs[self.at : self.at + 1] == "=>|&"[depth]:
            self.at += 1
            # "implies" binds to the right
            right = self._level(depth if depth == 1 else depth + 1)
            left = ("=>|&"[depth], left, right)
        return left

    def _single(self) -> tuple:
        sign = self.signs[self.at : self.at + 1]
        self.at += 1
        if sign == "!":
            return ("!", self._single())
        if sign == "(":
            inside = self._level(0)
            if self.signs[self.at : self.at + 1] != ")":
                raise ValueError("open bracket")
            self.at += 1
            return inside
        if sign.isalpha():
            return ("letter", sign)
        raise ValueError(sign)

    def __iter__(self):
        return iter(sorted(set(re.findall(r"[A-Za-z]", self.signs))))


def _table(text: str, *, arrows: bool = False) -> _Formula | None:
    """The formula of a text; None where it is none, or has arrows alone, without ``arrows``."""
    text = text.strip().strip("$").strip().rstrip(".").replace("\\left", "").replace("\\right", "")
    if len(text) > _MOST_CHARACTERS:
        return None
    text = _IF_THEN.sub(r"\1 > \2", text)
    for pattern, sign in _SIGNS:
        text = re.sub(pattern, f" {sign} ", text)
    if (
        not _FORMULA.fullmatch(text)
        or not set(text) & set("&|!>" if arrows else "&|!")
        or re.search(r"[A-Za-z]\s*[A-Za-z(]", text)
    ):
        return None
    try:
        found = _Formula(text)
    except ValueError:
        return None
    return found if len(list(found)) <= _MOST_LETTERS else None


def _true(formula: _Formula, row: dict[str, bool]) -> bool:
    def value(node: tuple) -> bool:
        sign, *parts = node
        if sign == "letter":
            return row[parts[0]]
        ones = [value(part) for part in parts]
        if sign == "!":
            return not ones[0]
        return {"&": all(ones), "|": any(ones), ">": not ones[0] or ones[-1], "=": ones[0] == ones[-1]}[sign]

    return value(formula.tree)

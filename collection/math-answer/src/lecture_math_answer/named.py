"""Answers in named parts: ``maximum 10, minimum 3``, ``p is 4 and q is 9``, ``13 R 4`` as equations."""

import re

_VALUE = r"-?(?:\d+(?:\.\d+)?(?:/\d+)?|\\frac\s*\{\d+\}\s*\{\d+\}|\\sqrt\s*\{?\d+\}?)"
_PART = re.compile(
    rf"\s*(?:the\s+)?\\?(?P<name>[A-Za-z]+)(?:\s+value)?\s*(?:\bis\b|\bare\b|\bequals\b|\bof\b|\bhas\b|\bhave\b|\bgets?\b|=|:)?\s*(?P<value>{_VALUE})\s*(?P<unit>(?!and\b)[a-z%]*)\s*"
)
_BETWEEN = re.compile(r"\s*(?:[,;]\s*(?:and\b)?|\band\b)\s*")
_REMAINDER = re.compile(
    r"\s*(\d+)\s*,?\s*(?:and\s+(?:a\s+)?|with\s+(?:a\s+)?)?(?:[Rr]|rem\.?|remainder(?:\s+of)?)\s*(\d+)\s*\.?\s*"
)
_LONG = {"min": "minimum", "max": "maximum", "rem": "remainder", "least": "minimum", "greatest": "maximum"}
_NOT_NAMES = frozenset(
    "or not about approximately only frac sqrt pi cos sin tan ln log base from to at than between".split()
)


def equations(plain: str) -> str:
    """An equals sign in each part, where all of the text is named parts with numbers; else the text as it is."""
    remainder = _REMAINDER.fullmatch(plain)
    if remainder:
        return f"quotient = {remainder[1]}, remainder = {remainder[2]}"
    parts: dict[str, str] = {}
    at = 0
    while match := _PART.match(plain, at):
        name = _LONG.get(match["name"].lower(), match["name"])
        if name in parts or name.lower() in _NOT_NAMES:
            return plain
        parts[name] = f"{name} = {match['value']} {match['unit']}".strip()
        at = match.end()
        joint = _BETWEEN.match(plain, at)
        if joint is None:
            break
        at = joint.end()
    is_all = not plain[at:].strip(" .")
    return ", ".join(parts.values()) if is_all and len(parts) > 1 else plain

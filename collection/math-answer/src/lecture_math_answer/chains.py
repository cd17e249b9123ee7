"""What a chain of equals signs ends with, where its head is no unknown."""

import re

_COMMANDS = re.compile(r"\\(?:text|mathrm|operatorname)\s*\{[^{}]*\}|\\[A-Za-z]+")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[a-z]*\}")
_SIGN = re.compile(r"(?<![<>!:])=|\\(?:to|rightarrow|longrightarrow)(?![a-zA-Z])|→")
_PROSE = re.compile(r"[A-Za-z]{5,}|\b(?:not?|is|are|if|or|and|that|then|but|with|when|for|from|wrong)\b")
_DERIVATIVE = re.compile(
    r"\\[dt]?frac\s*\{\s*d\s*\^?\{?\d?\}?\s*[a-zA-Z]?\s*\}\s*\{\s*d\s*[a-z]|['′]|\\(?:lim|int)(?![a-zA-Z])|[\]|]\s*_"
)
_CALL = re.compile(r"\s*[CP]\s*\([\d\s,+-]+\)\s*")
"""``C(6, 2)``: what is worked out, and no unknown."""


def end_of_chain(text: str) -> str:
    r"""What a simplification ends with: ``$A(B+C) = \dots = A$``, ``$\frac{n+1}{3n} = \dots \to \frac13$``; else empty.

    Its head must not be an unknown that could be solved for: ``$x^2 = 5 + 4 = 9$`` says that x is 3.
    """
    if len(text) > 500:
        return ""
    body = re.sub(r"\\[\[\]()]", "", text.strip().rstrip(".").strip().strip("$"))
    plain = _COMMANDS.sub(" ", _ENVIRONMENT.sub(" ", body))
    if "$" in body or _PROSE.search(plain):
        return ""
    members, at = [], 0
    for mark in _top_level(body):
        members.append((body[at : mark.start()], mark[0]))
        at = mark.end()
    signs, last = [sign for _, sign in members], body[at:].strip()
    if not members or not last or re.search(r"[,;<>](?![^()]*\))|\\(?:le|ge|ne|lt|gt)q?(?![a-zA-Z])", body):
        return ""
    arrows = sum(sign != "=" for sign in signs)
    letters, rest = _letters(members[0][0]), _letters(last)
    if arrows:
        is_term = re.search(r"[\d+/^\\]", members[0][0]) is not None
        return last if arrows == 1 and signs[-1] != "=" and is_term and len(letters) == 1 and not letters & rest else ""
    is_named = _DERIVATIVE.search(members[0][0]) or _CALL.fullmatch(members[0][0])
    is_unknown = len(letters) == 1 and not letters & rest and not is_named
    is_evaluated = re.search(r"[\]|]\s*_", members[0][0]) is not None  # between limits: [x e^x]_0^1
    if (len(signs) < 2 and not is_evaluated) or is_unknown:
        return ""
    return last if letters else ""


def _letters(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]", _COMMANDS.sub(" ", _ENVIRONMENT.sub(" ", text))))


def _top_level(body: str) -> list[re.Match[str]]:
    """The signs of equality and the arrows outside all brackets."""
    depth, inside = 0, set()
    for at, sign in enumerate(body):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(sign, 0)
        if depth > 0:
            inside.add(at)
    return [mark for mark in _SIGN.finditer(body) if mark.start() not in inside]

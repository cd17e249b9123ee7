r"""Ranges in words: ``the primes below 10`` as a set of integers, ``all real numbers between 2 and 5`` as an interval."""
# ruff: noqa: E501 -- patterns read better whole

import re
from collections.abc import Callable, Iterator
from math import isqrt

_MOST = 200
_INTEGER, _NUMBER = r"(-?\d{1,6})", r"(-?\d+(?:\.\d+)?(?:/\d+)?|-?\\frac\{\d+\}\{\d+\})"
_HEAD = r"\s*(?:the\s+set\s+(?:of|containing)\s+|(?:all|the|every|any)\s+(?:of\s+)?)*"
_SIGN = r"(?P<sign>positive|negative|non-?\s?negative)"
_KINDS = r"integers?|whole\s+numbers?|numbers?|odds?|evens?|primes?(?:\s+numbers?)?|(?:perfect\s+)?squares?|multiples\s+of\s+\d{1,4}"
_CLASS = re.compile(
    _HEAD
    + rf"(?:{_SIGN}\s+)?(?:(?P<parity>odd|even)\s+)?(?:(?P<late>positive|negative|non-?\s?negative)\s+)?(?P<kind>{_KINDS})\s*(?:[a-z]\s+)?",
    re.IGNORECASE,
)
_DIVISORS = re.compile(_HEAD + r"(?:positive\s+)?(?:divisors|factors)\s+of\s+(\d{1,6})\s*", re.IGNORECASE)
_REALS = re.compile(
    _HEAD.replace(")*", ")+")
    + r"(?:real\s+numbers?|reals?|real\s+values?|(?=[a-z]\s))\s*(?:of\s+)?(?:[a-z]\s+)?(?:that\s+(?:is|are)\s+|which\s+(?:is|are)\s+)?",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(
    _HEAD
    + rf"(?:real\s+(?:numbers?\s+)?)?[a-z]\s+(?:with|such\s+that|where)\s+\|\s*[a-z]\s*\|\s*(<|\\le(?:q|qslant)?|<=)\s*{_NUMBER}\s*",
    re.IGNORECASE,
)
_MORE = r"(?:strictly\s+)?(?:greater|more|larger|bigger)\s+than|above|over"
_LESS = r"(?:strictly\s+)?(?:less|smaller|fewer|lower)\s+than|below|under"
_AT_LEAST = r"at\s+least|(?:greater|more)\s+than\s+or\s+equal\s+to|no\s+less\s+than"
_AT_MOST = r"at\s+most|up\s+to|(?:less|smaller)\s+than\s+or\s+equal\s+to|not\s+(?:exceeding|above|more\s+than)|no\s+more\s+than"
_Ends = tuple[str, bool, str, bool]
"""Lower end, whether it belongs, upper end, whether it belongs. Empty: there is none."""
_BOUNDS: list[tuple[str, Callable[[re.Match[str]], _Ends | None]]] = [
    (rf"(?:{_AT_LEAST})\s+@(?:\s+and\s+(?:{_AT_MOST})\s+@)?", lambda m: (m[1], True, m[2] or "", True)),
    (rf"(?:{_AT_MOST})\s+@", lambda m: ("", False, m[1], True)),
    (rf"(?:{_MORE})\s+@(?:\s+and\s+(?:{_LESS})\s+@)?", lambda m: (m[1], False, m[2] or "", False)),
    (rf"(?:{_LESS})\s+@", lambda m: ("", False, m[1], False)),
    (r"(?:strictly|exclusively)\s+between\s+@\s+and\s+@|between\s+@\s+and\s+@,?\s*\(?exclusive\)?", lambda m: (m[1] or m[3], False, m[2] or m[4], False)),
    (r"between\s+@\s+and\s+@,?\s*\(?inclusive\)?|from\s+@\s+(?:to|through)\s+@(?:,?\s*\(?inclusive\)?)?", lambda m: (m[1] or m[3], True, m[2] or m[4], True)),
]  # fmt: skip
_BETWEEN = r"between\s+@\s+and\s+@"


def ranged(plain: str) -> str:
    """The formula of a range in words; ``plain`` itself where it is none, or where its ends could be meant either way."""
    text = plain.strip().rstrip(".").strip()
    divisors = _DIVISORS.fullmatch(text)
    if divisors:
        return _listed(value for value in range(1, int(divisors[1]) + 1) if int(divisors[1]) % value == 0) or plain
    inside = _ABSOLUTE.fullmatch(text)
    if inside:
        opener, closer = "()" if inside[1] == "<" else "[]"
        return f"{opener}-{inside[2]}, {inside[2]}{closer}"
    return _integers(text) or _interval(text) or plain


def _integers(text: str) -> str:
    head = _CLASS.match(text)
    if head is None:
        return ""
    belongs = _membership(head)
    sign = (head["sign"] or head["late"] or "").lower()
    rest = text[head.end() :]
    found = [_members(ends, sign, belongs, head["kind"].lower()) for ends in _ends(rest, _INTEGER)]
    return found[0] if found and len(set(found)) == 1 else ""


def _membership(head: re.Match[str]) -> Callable[[int], bool]:
    """Whether an integer is one of those that the words name."""
    kind, parity = head["kind"].lower(), (head["parity"] or "").lower()
    if "prime" in kind:
        return lambda value: value > 1 and all(value % one for one in range(2, isqrt(value) + 1))
    if "square" in kind:
        return lambda value: value > 0 and isqrt(value) ** 2 == value
    if "multiple" in kind:
        step = max(1, int(kind.split()[-1]))
        return lambda value: value % step == 0
    odd, even = parity == "odd" or kind.startswith("odd"), parity == "even" or kind.startswith("even")
    return lambda value: not ((odd and value % 2 == 0) or (even and value % 2))


def _members(ends: _Ends, sign: str, belongs: Callable[[int], bool], kind: str) -> str:
    low, has_low, high, has_high = ends
    if kind.startswith("number") and not sign and "odd" not in kind and belongs(1) and belongs(2):
        return ""  # numbers that are not said to be whole
    first = int(low) + (not has_low) if low else None
    last = int(high) - (not has_high) if high else None
    if sign == "negative":
        last = -1 if last is None else min(last, -1)
    elif sign:
        first = max(first if first is not None else 0, 0 if "non" in sign else 1)
    elif "prime" in kind or "square" in kind:
        first = 1 if first is None else first
    if first is None or last is None or last - first > 50 * _MOST:
        return ""
    return _listed(value for value in range(first, last + 1) if belongs(value))


def _listed(values: Iterator[int]) -> str:
    members = list(values)
    return "\\{" + ", ".join(map(str, members)) + "\\}" if 0 < len(members) <= _MOST else ""


def _interval(text: str) -> str:
    head = _REALS.match(text)
    if head is None or not head[0].strip():
        return ""
    found = _ends(text[head.end() :], _NUMBER)
    if not found:
        return ""
    low, has_low, high, has_high = found[0]  # between 2 and 5: without its ends, as it is not said that they belong
    return f"{'[' if has_low and low else '('}{low or '-' + chr(92) + 'infty'}, {high or chr(92) + 'infty'}{']' if has_high and high else ')'}"


def _ends(rest: str, number: str) -> list[_Ends]:
    """The ends that the words name; two readings where it is not said whether they belong."""
    for pattern, ends in _BOUNDS:
        match = re.fullmatch(rf"\s*(?:{pattern.replace('@', number)})\s*", rest, re.IGNORECASE)
        if match:
            found = ends(match)
            return [found] if found else []
    match = re.fullmatch(rf"\s*{_BETWEEN.replace('@', number)}\s*", rest, re.IGNORECASE)
    return [(match[1], False, match[2], False), (match[1], True, match[2], True)] if match else []

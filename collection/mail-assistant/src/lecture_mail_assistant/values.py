"""What an answer says: the values of one kind that stand in a text. Two different ones commit to neither."""

import re

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS)
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\.?(?: of)? ({_MONTH})\b", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b", re.IGNORECASE)
_TIME = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))? ?(am|pm|a\.m\.|p\.m\.)?(?![\d:])", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,3}(?:[,' ]\d{3})+(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?")
_DENIED = re.compile(
    r"\b(?:not|n't|never|no longer|neither|except|unless|maybe|perhaps|possibly|probably|either|or)\b|n't\b|\?",
    re.IGNORECASE,
)
LONGEST = 200


def said_values(kind: str, text: str, known: list[str]) -> set[str]:
    """The values of ``kind`` in ``text``, as :mod:`world` writes them. ``known``: people, or firms, that may be meant.

    Empty for a text that denies, hedges or is longer than 200 characters: what it commits to is not certain.
    """
    if len(text) > LONGEST or _DENIED.search(text):
        return set()
    return _READERS[kind](text, known)


def _dates(text: str, _: list[str]) -> set[str]:
    found = {(int(month), int(day)) for _, month, day in _ISO.findall(text)}
    rest = _ISO.sub(" ", text)
    found |= {(_month(name), int(day)) for day, name in _DAY_FIRST.findall(rest)}
    rest = _DAY_FIRST.sub(" ", rest)
    found |= {(_month(name), int(day)) for name, day in _MONTH_FIRST.findall(rest)}
    return {f"2026-{month:02d}-{day:02d}" for month, day in found}


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name.lower()[:3]))


def _times(text: str, _: list[str]) -> set[str]:
    found = set()
    for hour, minute, half in _TIME.findall(text):
        number = int(hour)
        if half:
            number = number % 12 + (12 if half.lower().startswith("p") else 0)
        if (minute or half) and number < 24:
            found.add(f"{number:02d}:{minute or '00'}")
    return found


def _amounts(text: str, _: list[str]) -> set[str]:
    return {f"{float(re.sub(r'[, ]', '', number).replace(chr(39), '')):.2f}" for number in _NUMBER.findall(text)}


def _rooms(text: str, _: list[str]) -> set[str]:
    return {f"{name.title()} {number}" for name, number in re.findall(r"\b([A-Za-z]+) ?-?(\d{3})\b", text)}


def _codes(text: str, _: list[str]) -> set[str]:
    return {code.upper() for code in re.findall(r"\b(?=[A-Z-]*\d)[A-Z0-9]+(?:-\d+)?\b", text.upper()) if len(code) >= 5}


def _extensions(text: str, _: list[str]) -> set[str]:
    return set(re.findall(r"\d+", text))


def _names(text: str, known: list[str]) -> set[str]:
    """Those of ``known`` that are named, a person also by the last name alone."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    return {name for name in known if name.lower().split()[-1] in words}


_READERS = {
    "date": _dates,
    "time": _times,
    "amount": _amounts,
    "room": _rooms,
    "code": _codes,
    "extension": _extensions,
    "person": _names,
    "firm": _names,
}

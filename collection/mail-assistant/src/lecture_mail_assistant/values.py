"""What an answer says: the one value of its kind in a text. Whatever else it holds must be known to be idle."""

import re
from collections.abc import Callable, Iterable
from datetime import date

LONGEST = 200
_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS)
_YEAR = r"(?P<y>\d{4})"
_DATES = [
    re.compile(rf"(?<![\d-]){_YEAR}[-/](?P<n>\d{{1,2}})[-/](?P<d>\d{{1,2}})(?![\d-])"),
    re.compile(rf"(?<![\d.])(?P<d>\d{{1,2}})\.(?P<n>\d{{1,2}})\.{_YEAR}(?!\d)"),
    re.compile(
        rf"(?<![\d-])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\.?(?: of)?[ -](?P<m>{_MONTH})\b(?:,?[ -]{_YEAR})?", re.ASCII
    ),
    re.compile(rf"\b(?P<m>{_MONTH})\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? {_YEAR})?", re.ASCII),
]
_TIME = re.compile(
    r"(?<![\d:.])(\d{1,2})(?:[:.h](\d{2}))?(?::00)? ?(?:(am|pm|a\.m\.?|p\.m\.?|o'clock)|h)?(?![\d:\w])", re.ASCII
)
_AMOUNT = re.compile(
    r"(?<![\d.,])(?:\d{1,3}(?:[,' ]\d{3})+(?:\.\d\d?)?|\d{1,3}(?:\.\d{3})+,\d\d|\d+(?:[.,]\d\d?)?)(?!\d)", re.ASCII
)
_ROOM = re.compile(r"\b([a-z]+)(?: room)? ?[#-]? ?(\d{3})\b(?!\d)", re.ASCII)
_MAIL = re.compile(r"[(\[]?\b(?:mail |see |source:? ?|in )?m\d{3}\b[)\]]?", re.ASCII)
_IDLE = frozenset(
    """a an the is are it its that this in on at of to for by with and room date day time amount name number code
    booking invoice extension ext phone tel telephone answer value takes place begins starts start leave leaves leads
    lead asks ask they he she who which firm offer offers cheaper cheapest difference eur euro euros mr ms mrs dr
    project now new leader hours hrs h o'clock has have was moved floor our your my""".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_OTHER_MARK = re.compile(r"""[^\w\s.,:;'"“”()\[\]*`#€]""")
"""Any mark but those that stand around a value: ``≠ Oak 101`` and ``Oak 101 ❌`` deny it."""


def stated_value(kind: str, text: str, known: Iterable[str], prompt: str) -> str | None:
    """The value of ``kind`` that ``text`` states, as :mod:`world` writes it; ``known``: people, or firms.

    None for a text that states none or several, and for one that holds anything else than idle words ("it is in room"),
    words of the question and the id of a mail: a denial, a doubt, a second value or a wrong fact is then no answer.
    """
    plain = _MAIL.sub(" ", text[: LONGEST + 1].casefold().replace("’", "'"))
    if len(text) > LONGEST:
        return None
    found = _READERS[kind](plain, known, prompt.casefold())
    if len({value for value, _, _ in found}) != 1:
        return None
    rest = list(plain)
    for _, start, end in found:
        rest[start:end] = " " * (end - start)
    asked = set(_WORD.findall(prompt.casefold()))
    left = "".join(rest)
    if re.search(rf"\d|\bor\b|{_OTHER_MARK.pattern}", re.sub(r"(?<=\w)-(?=\w)", " ", left)):
        return None
    idle = _IDLE | {"from"} if kind == "firm" else _IDLE  # "moved from Oak 101" says where it is not
    return found[0][0] if set(_WORD.findall(left)) <= idle | asked else None


Found = list[tuple[str, int, int]]
"""Values, with the places where they begin and end."""


def _dates(text: str, _known: Iterable[str], _prompt: str) -> Found:
    found = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            month = int(groups["n"]) if groups.get("n") else _month(groups["m"])
            if any(start <= match.start() < end for _, start, end in found):
                continue
            day = _day(int(groups["y"] or 2026), month, int(groups["d"]))
            found.append((day, match.start(), match.end()))
    named = [name for name in _DAYS if re.search(rf"\b{name[:3]}(?:{name[3:]}|\.)?(?![a-z])", text)]
    if len(found) == 1 and named:
        value = found[0][0]
        places = [match for name in named for match in re.finditer(rf"\b{name[:3]}(?:{name[3:]}|\.)?(?![a-z]),?", text)]
        if value != "none" and named == [_DAYS[date.fromisoformat(value).weekday()]]:
            found += [(value, match.start(), match.end()) for match in places]
    return found


def _day(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return "none"


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _times(text: str, _known: Iterable[str], _prompt: str) -> Found:
    found = []
    for match in _TIME.finditer(text):
        hour, minute, half = match.groups()
        number = int(hour)
        if half and half != "o'clock" and 1 <= number <= 12:
            number = number % 12 + (12 if half.startswith("p") else 0)
        if (minute or half) and number < 24 and int(minute or 0) < 60:
            found.append((f"{number:02d}:{minute or '00'}", match.start(), match.end()))
    return found


def _amounts(text: str, _known: Iterable[str], _prompt: str) -> Found:
    return [(_amount(match.group()), match.start(), match.end()) for match in _AMOUNT.finditer(text.replace("€", " "))]


def _amount(text: str) -> str:
    text = text.replace("'", "").replace(" ", "")
    if re.search(r",\d\d?$", text):
        text = text.replace(".", "").replace(",", ".")
    return f"{float(text.replace(',', '')):.2f}"


def _rooms(text: str, _known: Iterable[str], _prompt: str) -> Found:
    return [
        (f"{match[1].title()} {match[2]}", match.start(), match.end())
        for match in _ROOM.finditer(text)
        if match[1] not in _IDLE
    ]


def _codes(text: str, _known: Iterable[str], _prompt: str) -> Found:
    return [
        (re.sub(r"[ -]", "-" if len(match[1]) == 2 else "", match.group().upper()), match.start(), match.end())
        for match in re.finditer(r"\b([a-z]{2,3})[ -]?\d{3,4}\b", text, re.ASCII)
    ]


def _extensions(text: str, _known: Iterable[str], _prompt: str) -> Found:
    return [(match.group(), match.start(), match.end()) for match in re.finditer(r"\d+", text, re.ASCII)]


def _names(text: str, known: Iterable[str], prompt: str) -> Found:
    """Those that are named and that the question does not name: whole, or a person by the last name alone."""
    found = []
    for name in known:
        first, _, last = name.casefold().rpartition(" ")
        if name.casefold() not in prompt:
            whole = (rf"\b(?:{re.escape(first)} )?" if first else r"\b") + rf"{re.escape(last)}\b(?:'s)?"
            found += [(name, match.start(), match.end()) for match in re.finditer(whole, text)]
    return found


_READERS: dict[str, Callable[[str, Iterable[str], str], Found]] = {
    "date": _dates,
    "time": _times,
    "amount": _amounts,
    "room": _rooms,
    "code": _codes,
    "extension": _extensions,
    "person": _names,
    "firm": _names,
}

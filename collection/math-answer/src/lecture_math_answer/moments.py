"""Times of day and dates: the same moment however it is written."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from dataclasses import dataclass

_MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sept sep, october oct, november nov, december dec".split(","), 1
    )
    for name in names.split()
}  # fmt: skip
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_CLOCK = re.compile(
    r"(?<![\d:])(\d{1,2})\s*:\s*(\d{2})(?![\d:])\s*(?:o'clock\s*)?(?:([ap])\s*\.?\s*m\b\.?|(noon|midnight))?",
    re.IGNORECASE,
)
_NAMED_HOUR = re.compile(r"(?:\b12 )?(?<![\d:])(?<!\d )\b(noon|midnight)\b", re.IGNORECASE)
_BARE_HOUR = re.compile(r"(?<![\d:.])\b(\d{1,2})\s*([ap])\s*\.?\s*m\b", re.IGNORECASE)
_HALF_NAMED = re.compile(r"\d\s*[ap]\s*\.?\s*m\b|\bnoon\b|\bmidnight\b", re.IGNORECASE)
_DATES = (
    re.compile(
        rf"\b(?P<month>{_NAMES})\b\.?\s*(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:\s*,?\s*(?P<year>\d{{4}}))?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_NAMES})\b\.?(?:\s*,?\s*(?P<year>\d{{4}}))?",
        re.IGNORECASE,
    ),
    re.compile(r"(?<!\d)(?P<year>\d{4})(?P<mark>[-/])(?P<month>\d{2})(?P=mark)(?P<day>\d{2})(?!\d)"),
)


@dataclass(frozen=True)
class Clock:
    """Minutes after midnight; ``is_certain``: which half of the day was said."""

    minutes: int
    is_certain: bool


def same_moment(gold: str, response: str) -> bool | None:
    """The verdict where the gold answer is a time with its half of the day, or a date; None where it is neither."""
    date = _date(gold)
    if date:
        return date == _date(response) if _date(response) else None
    times = _clocks(gold), _clocks(response)
    if len(times[0]) != 1 or not times[1] or not _HALF_NAMED.search(f"{gold} {response}"):
        return None
    if len(set(times[1])) > 1 or not _CLOCK.fullmatch(gold.strip().rstrip(".")):
        return None
    one, two = times[0][0], times[1][-1]
    if (one.is_certain or gold.strip().startswith("0")) and two.is_certain:  # 09:30 is of a clock with 24 hours
        return one.minutes == two.minutes
    return one.minutes % 720 == two.minutes % 720


def _clocks(text: str) -> list[Clock]:
    found = []
    text = _BARE_HOUR.sub(r"\1:00 \2m", _NAMED_HOUR.sub(r"12:00 \1", text))
    for match in _CLOCK.finditer(text):
        hour, minute = int(match[1]), int(match[2])
        half = (match[3] or "").lower()
        if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12):
            return []
        if match[4]:
            half = "p" if match[4].lower() == "noon" else "a"
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        found.append(Clock(hour % 24 * 60 + minute, is_certain=bool(half) or hour > 12))
    return found


def _date(text: str) -> tuple[int, int, str] | None:
    """(month, day, year or nothing) of the only date in a short text."""
    if len(text) > 120:
        return None
    found = {
        (_MONTHS.get(match["month"].lower()) or int(match["month"]), int(match["day"]), match["year"] or "")
        for pattern in _DATES
        for match in pattern.finditer(text)
    }
    return found.pop() if len(found) == 1 else None

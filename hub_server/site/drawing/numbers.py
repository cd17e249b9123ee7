"""Numbers as text for people: two significant figures, narrow non-breaking spaces, exact words for zero and for missing
values.
"""

import math
from datetime import datetime, timedelta

from schemas.measures.grades import GRADE_LIMITS
from schemas.measures.percents import in_percent
from schemas.wording import noun

THIN = "\u202f"  # narrow no-break space: before a unit
GAP = "\u00a0"  # no-break space: between thousands


def per_cent(share: float) -> str:
    """``share`` (0..1) in per cent without the sign: 0.07, 0.4, 1.6, 12."""
    value = share * 100
    if value == 0:
        return "0"
    if share < 0.5:
        text = f"{value:.{_decimals(value)}f}"
        return "<0.01" if float(text) == 0 else text
    text = in_percent(share, 0)
    return ">99.99" if len(text) > len("99.99") else text


def _decimals(value: float) -> int:
    return 0 if value >= 9.95 else 1 if value >= 0.095 else 2


def bound(share: float) -> str:
    """The upper end of an interval in per cent: with more digits where rounding would cross a grade's limit."""
    text = per_cent(share)
    return text if text.startswith(("<", ">")) else in_percent(share, len(text.partition(".")[2]), GRADE_LIMITS)


def rate(share: float) -> str:
    """``share`` with its unit: ``1.6 %``."""
    return f"{per_cent(share)}{THIN}%"


def interval(low: float, high: float) -> str:
    """Both ends of an interval, without the unit: ``1.0–2.5``."""
    return f"{per_cent(low)}–{bound(high)}"


def count(value: int) -> str:
    """A whole number with its thousands set apart: ``1 180``."""
    return f"{value:,}".replace(",", GAP)


def plural(value: int, one: str, many: str | None = None) -> str:
    """``1 case``, ``1 180 cases``."""
    return f"{count(value)}{GAP}{noun(value, one, many)}"


def figure(value: float | None, digits: int = 3) -> str:
    """A measured value to ``digits`` significant figures; *not judged* for None."""
    if value is None:
        return "not judged"
    if value == 0:
        return "0"
    if float(value).is_integer() and abs(value) < 10**6:
        return count(int(value))
    if abs(value) >= 10**digits:
        return count(round(value))
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{places}f}" if places <= 6 else f"{value:.{digits - 1}e}"
    return text.replace("-", "−")


def short(value: float, digits: int = 3) -> str:
    """A number that somebody chose, or an axis: without trailing zeros, 0.5 and not 0.500."""
    text = figure(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def size(length_bytes: int) -> str:
    """A size in the nearest decimal unit: ``48 kB``."""
    value = float(length_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.5 or unit == "GB":
            return f"{value:.0f}{GAP}{unit}" if value >= 9.95 or unit == "B" else f"{value:.1f}{GAP}{unit}"
        value /= 1000
    raise AssertionError("unreachable")


def seconds(value: float) -> str:
    """A time span: ``0.3 s``, ``41 s``, ``2 h 14 min``."""
    if value < 60:
        return f"{short(value)}{GAP}s"
    if value < 3600:
        return f"{value / 60:.0f}{GAP}min"
    return f"{value // 3600:.0f}{GAP}h {value % 3600 // 60:.0f}{GAP}min"


def milliseconds(value: float) -> str:
    """``12 ms``, ``4.2 s``."""
    return f"{short(value)}{GAP}ms" if value < 1000 else seconds(value / 1000)


def day(moment: datetime) -> str:
    """A date: ``16 Nov 2026``."""
    return f"{moment.day}{GAP}{moment:%b}{GAP}{moment.year}"


def ago(moment: datetime, now: datetime) -> str:
    """How long since, in words; a date once it is more than four weeks."""
    past = now - moment
    if past < timedelta(minutes=1):
        return "just now"
    if past < timedelta(hours=1):
        return f"{plural(int(past.total_seconds() // 60), 'minute')} ago"
    if past < timedelta(days=1):
        return f"{plural(int(past.total_seconds() // 3600), 'hour')} ago"
    if past < timedelta(days=2):
        return "yesterday"
    return f"{plural(past.days, 'day')} ago" if past < timedelta(days=28) else day(moment)


def short_digest(digest: str, length: int = 12) -> str:
    """The first characters of a digest, with the algorithm before them."""
    algorithm, _, value = digest.rpartition(":")
    return f"{algorithm + ':' if algorithm else ''}{value[:length]}{'…' if len(value) > length else ''}"

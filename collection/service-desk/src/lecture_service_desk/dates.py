"""Reads dates out of what was said."""

import datetime as dt
import re


def dates_in(text: str, year: int) -> set[dt.date]:
    """Dates in a lower-case text: ISO, or with the month's name."""
    months = {f"{dt.date(2026, month, 1):%B}".lower(): month for month in range(1, 13)}
    names = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in months)
    found = [(int(y), int(m), int(d)) for y, m, d in re.findall(r"\b(\d{4})-(\d\d)-(\d\d)\b", text)]
    for day, name in re.findall(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({names})\b", text):
        found.append((year, next(number for full, number in months.items() if full.startswith(name[:3])), int(day)))
    for name, day in re.findall(rf"\b({names})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b", text):
        found.append((year, next(number for full, number in months.items() if full.startswith(name[:3])), int(day)))
    dates = set()
    for each in found:
        try:
            dates.add(dt.date(*each))
        except ValueError:
            continue
    return dates

"""The style sheet and the pages use the same names, and the names are words."""

import re
from pathlib import Path

import hub_server.site

SITE = Path(hub_server.site.__file__).parent
SHEET = (SITE / "static" / "verihub.css").read_text()
ABBREVIATIONS = {"fp", "fn"}
"""The field's own: false positive, false negative."""
GRADES = re.compile(r"\.grade\.[abcdfu]\b|:not\([^)]*\)|\.(?:a|b|d|f|u)(?=[ ,)])")


def _classes() -> set[str]:
    rules = re.sub(r"/\*.*?\*/", "", SHEET, flags=re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", rules)
    return {name for one in selectors for name in re.findall(r"\.([a-zA-Z][\w-]*)", GRADES.sub("", one))}


def test_no_class_is_a_letter_or_begins_with_one() -> None:
    short = {name for name in _classes() if len(name.partition("-")[0]) < 3} - ABBREVIATIONS
    assert short == set()


def test_every_class_that_is_styled_is_used() -> None:
    sources = [*SITE.rglob("*.html"), *SITE.rglob("*.py"), *SITE.rglob("*.js")]
    words = set(re.findall(r"[a-zA-Z][\w-]*", " ".join(path.read_text() for path in sources)))
    made = {f"calliper-{part}-{side}" for part in ("bar", "bracket", "dot") for side in ("fp", "fn")}
    assert sorted(_classes() - words - made) == []


def test_a_state_does_not_look_like_a_link() -> None:
    """`.state.plain` (Finished, Refuted) had the line and the hand of the plain buttons."""
    assert not re.search(r"(?m)^\.plain\b", SHEET)
    assert "button.plain { " in SHEET

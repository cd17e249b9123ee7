"""Every page as a reader's browser shows it: what axe finds, the widths, the console, the outline that a screen reader tells.

To store the outlines as they are now: ``python -m tests.end_to_end.test_pages``.
"""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.making.browser_visits import MARKS, FilledHub, Visit, filled_hub, make_catalogue, open_chromium, violations

PACKAGE = "/packages/alice/small-sums"
RELEASE = f"{PACKAGE}/releases/1.1.0"
OUTLINED = {
    "home": "/",
    "search": "/packages",
    "package": PACKAGE,
    "try": f"{RELEASE}/try",
    "audit": f"{RELEASE}/audit",
    "tasks": f"{RELEASE}/tasks",
    "code": f"{RELEASE}/code",
    "new_case": f"{RELEASE}/cases/new",
    "new_discussion": f"{PACKAGE}/discussions/new",
    "compare": "/compare?left=alice/small-sums&right=alice/unmeasured",
    "benchmark": "/benchmarks/alice/ladder",
    "api": "/docs/api/discussions",
    "sign_up": "/signup",
    "log_in": "/login",
    "releases": f"{PACKAGE}/releases",
    "diff": f"{PACKAGE}/diff?from=1.0.0&to=1.1.0",
    "used_by": f"{PACKAGE}/used-by",
    "discussions": f"{PACKAGE}/discussions",
    "report": f"{PACKAGE}/report",
    "label": "/label",
    "cases": f"{RELEASE}/cases",
    "runs": "/runs",
    "benchmarks": "/benchmarks",
    "collections": "/collections",
    "owner": "/owners/alice",
    "moderation": "/moderation",
    "docs": "/docs",
    "found_tasks": "/tasks?q=sum",
    "not_there": "/packages/alice/none",
}
"""Name of the stored outline -> page."""
PAGES = [
    *OUTLINED.values(),
    *[f"{PACKAGE}/label", "/about", "/compare", "/docs/api", "/docs/search?q=private", "/docs/reference/cli"],
]
STORED = Path(__file__).parent / "outlines"
_TOLD = re.compile(
    r"(banner|navigation|main|search|contentinfo|complementary|region|form|group|heading|table|columnheader|searchbox"
    r"|textbox|combobox|checkbox|radio|button|alert|status)\b"
)
"""Roles by which somebody who does not see a page finds a way through it."""

pytestmark = MARKS


def test_no_page_is_too_wide_or_complains_and_axe_finds_nothing(visit: Callable[..., Visit]) -> None:
    reader = visit()
    for path in PAGES:
        reader.go(path)
    reader.go(f"/runs/{reader.page.request.get(reader.hub.url + '/api/v1/runs').json()['items'][0]['id']}")


def test_no_page_is_too_wide_without_script(visit: Callable[..., Visit]) -> None:
    reader = visit(script=False)
    for path in PAGES:
        reader.go(path)


def test_colours_can_be_told_apart_in_the_dark_too(visit: Callable[..., Visit]) -> None:
    reader = visit()
    reader.page.emulate_media(color_scheme="dark")
    for path in (OUTLINED[name] for name in ("home", "search", "package", "audit", "code", "benchmark", "api")):
        reader.page.goto(reader.hub.url + path)
        reader.faults += [f"{path}: {one}" for one in violations(reader.page, ("color-contrast",))]


@pytest.mark.parametrize("name", OUTLINED)
def test_the_outline_is_the_stored_one(name: str, chromium: Any, shown_hub: FilledHub) -> None:
    """A change of what a screen reader tells is seen as one."""
    page = chromium.new_page()
    page.goto(shown_hub.url + OUTLINED[name])
    told = outline(page.locator("body").aria_snapshot())
    page.close()
    assert told == (STORED / f"{name}.txt").read_text(), (
        "the outline changed: if that is meant, run `python -m tests.end_to_end.test_pages`"
    )


def outline(snapshot: str) -> str:
    """Of Playwright's ARIA snapshot: landmarks, headings, tables and controls, each under what holds it."""
    lines: list[str] = []
    holders: list[int] = []
    for line in snapshot.splitlines():
        said = line.lstrip(" -")
        if not _TOLD.match(said):
            continue
        indent = len(line) - len(line.lstrip())
        while holders and holders[-1] >= indent:
            holders.pop()
        entry = "  " * len(holders) + re.sub(r"localhost:\d+", "HUB", said.removesuffix(":"))
        if not lines or lines[-1] != entry:
            lines.append(entry)
        holders.append(indent)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Store every outline."""
    STORED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        catalogue = Path(folder) / "catalogue"
        catalogue.mkdir()
        make_catalogue(catalogue)
        with filled_hub(catalogue, Path(folder) / "hub") as hub, open_chromium() as browser:
            page = browser.new_page()
            for name, path in OUTLINED.items():
                page.goto(hub.url + path)
                (STORED / f"{name}.txt").write_text(outline(page.locator("body").aria_snapshot()))


if __name__ == "__main__":
    main()

"""Every page as a reader's browser shows it: what axe finds, the widths, the console, the outline that a screen reader tells.

To store the outlines as they are now: ``python -m tests.end_to_end.test_pages``.
"""

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.making.browser_visits import MARKS, FilledHub, Visit, filled_hub, make_catalogue, open_chromium, violations
from tests.making.hub import PASSWORD

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
    "about": "/about",
    "api_list": "/docs/api",
    "compare_form": "/compare",
    "document": "/docs/how_to/discuss",
    "docs_search": "/docs/search?q=private",
    "refusals": "/docs/errors",
    "file": f"{RELEASE}/code/alice_small_sums/__init__.py",
    "package_label": f"{PACKAGE}/label",
    "release": f"{PACKAGE}/releases/1.0.0",
    "recovery": "/account/recovery",
    "run": "/runs/RUN",
}
"""Name of the stored outline -> page. ``RUN`` stands for the id of the catalogue's run."""
SIGNED_IN = {
    "account": "/account",
    "proof": "/account/proof",
    "second_factor": "/account/second-factor",
    "watches": "/account/watches",
    "new_collection": "/collections/new",
    "device": "/device",
    "new_organization": "/organizations/new",
    "owner_report": "/owners/alice/report",
    "package_settings": f"{PACKAGE}/settings",
    "publishers": "/publishers?package=alice/small-sums",
    "webhooks": "/owners/alice/webhooks",
}
"""The same of pages that alice sees once she has signed in."""
PAGES = [*(path for name, path in OUTLINED.items() if name != "run"), "/docs/reference/cli"]
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


@pytest.fixture(scope="module")
def page(chromium: Any) -> Iterator[Any]:
    """One page for all outlines of who is not signed in."""
    made = chromium.new_page()
    yield made
    made.close()


@pytest.fixture(scope="module")
def alices_page(chromium: Any, shown_hub: FilledHub) -> Iterator[Any]:
    """The page of alice, who has signed in."""
    made = signed_in(chromium, shown_hub)
    yield made
    made.close()


@pytest.mark.parametrize("name", OUTLINED)
def test_the_outline_is_the_stored_one(name: str, page: Any, shown_hub: FilledHub) -> None:
    """A change of what a screen reader tells is seen as one."""
    compare(name, told_of(page, shown_hub, OUTLINED[name]))


@pytest.mark.parametrize("name", SIGNED_IN)
def test_the_outline_of_whoever_is_signed_in_is_the_stored_one(
    name: str, alices_page: Any, shown_hub: FilledHub
) -> None:
    compare(name, told_of(alices_page, shown_hub, SIGNED_IN[name]))


def compare(name: str, told: str) -> None:
    assert told == (STORED / f"{name}.txt").read_text(), (
        "the outline changed: if that is meant, run `python -m tests.end_to_end.test_pages`"
    )


def signed_in(browser: Any, hub: FilledHub) -> Any:
    """A page of alice's browser, after signing in."""
    made = browser.new_context().new_page()
    made.goto(f"{hub.url}/login")
    made.locator("main [name=name]").fill("alice")
    made.locator("main [name=password]").fill(PASSWORD)
    with made.expect_navigation():
        made.get_by_role("button", name="Sign in", exact=True).first.click()
    return made


def told_of(page: Any, hub: FilledHub, path: str) -> str:
    """The outline of a page of the hub."""
    if path.endswith("/RUN"):
        path = path.replace("RUN", page.request.get(f"{hub.url}/api/v1/runs").json()["items"][0]["id"])
    page.goto(hub.url + path)
    return outline(page.locator("body").aria_snapshot())


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
            for page, pages in ((browser.new_page(), OUTLINED), (signed_in(browser, hub), SIGNED_IN)):
                for name, path in pages.items():
                    (STORED / f"{name}.txt").write_text(told_of(page, hub, path))


if __name__ == "__main__":
    main()

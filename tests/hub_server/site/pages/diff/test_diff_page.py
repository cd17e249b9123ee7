"""What changed between two releases, as a page."""

import pytest

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

PACKAGE = "/packages/alice/small-sums"


def test_a_diff_shows_what_changed_and_nothing_else(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{PACKAGE}/diff?from=1.0.0&to=1.1.0")
    assert "# stricter" in page.text
    assert "alice_small_sums/__init__.py" in page.text
    assert "tasks.jsonl" not in page.text
    assert "RECORD" not in page.text


@pytest.mark.parametrize(
    ("query", "leads_to"),
    [("", "diff?from=1.0.0&to=1.1.0"), ("?to=1.1.0", "diff?from=1.0.0&to=1.1.0"), ("?to=1.0.0", "releases")],
)
def test_a_diff_without_both_releases_takes_the_one_before(
    reader: Browser, catalogue: Api, query: str, leads_to: str
) -> None:
    """It answered "/query/from: Field required" twice."""
    page = reader.get(f"{PACKAGE}/diff{query}")
    assert page.status == 200
    assert page.url.endswith(f"{PACKAGE}/{leads_to}")

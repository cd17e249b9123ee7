"""Downloads by day on a package's page."""

from hub_server.drawing.spark import download_bars
from hub_server.parts import Parts
from tests.hub_server.pages.conftest import Browser
from tests.making.hub import Api

WHEEL = "/api/v1/packages/alice/small-sums/releases/1.1.0/wheel"


def test_downloads_are_drawn_by_day(reader: Browser, catalogue: Api, parts: Parts) -> None:
    assert "By day, the last 30 days" not in reader.get("/packages/alice/small-sums").text
    for days, times in ((0, 1), (3, 2), (25, 3)):
        parts.clock.advance(86_400 * days)
        for _ in range(times):
            assert catalogue.get(WHEEL).status_code == 200
    parts.clock.advance(86_400 * 3)
    page = reader.get("/packages/alice/small-sums")
    labels = [one["aria-label"].replace("\u00a0", " ") for one in page.all("svg") if one.get("aria-label")]
    assert "5 downloads in the last 30 days, at most 3 downloads on one" in labels, "the first was 31 days ago"
    assert "Downloads6" in page.text


def test_no_download_is_no_bar() -> None:
    drawn = str(download_bars([0] * 30))
    assert "<rect" not in drawn
    assert "0\u00a0downloads in the last 30\u00a0days" in drawn

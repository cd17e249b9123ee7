"""The releases of a package, page by page."""

import pytest

from hub_server.site.pages import releases
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package

PAGE = "/packages/alice/small-sums/releases"


def test_older_releases_are_a_page_further(reader: Browser, catalogue: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "_SHOWN", 2)
    assert catalogue.publish(make_package("alice/small-sums", version="1.2.0")).status_code == 201
    first = reader.get(PAGE)
    shown = {a["href"].rpartition("/")[2] for a in first.all("a") if a.get("href", "").startswith(f"{PAGE}/")}
    assert {"1.2.0", "1.1.0"} <= shown
    (older,) = [a["href"] for a in first.all("a") if a.get("rel") == "next"]
    assert "from=1.0.0" not in first.html, "what is on the next page is not there to compare with"
    second = reader.get(older)
    assert "1.0.0" in second.text
    assert "first" in second.text
    assert not [a for a in second.all("a") if a.get("rel") == "next"]
    assert reader.get(f"{PAGE}?cursor=nonsense").status == 422

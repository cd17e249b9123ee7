"""Everything of one owner."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


def test_an_owner_has_a_page(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/owners/alice")
    assert "small-sums" in page.text
    assert "person" in page.text

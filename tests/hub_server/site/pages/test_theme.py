"""Light or dark."""

import pytest

from tests.hub_server.site.conftest import Browser


def test_the_theme_is_remembered_and_can_be_forgotten(reader: Browser) -> None:
    assert not reader.get("/").all("html")[0].get("data-theme")
    back = reader.post("/theme", {"theme": "dark", "back": "/about"})
    assert back.url.endswith("/about")
    assert back.all("html")[0]["data-theme"] == "dark"
    assert "data-theme" not in reader.post("/theme", {"theme": "system", "back": "/"}).all("html")[0]


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "//["]
)
def test_the_theme_sends_nobody_elsewhere(reader: Browser, back: str) -> None:
    assert reader.post("/theme", {"theme": "dark", "back": back}).url == "http://hub.test/"

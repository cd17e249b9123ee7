"""What a link to a package shows elsewhere: its words, and the hub's own picture."""

import re

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


def test_a_link_shows_the_packages_words_and_the_hubs_picture(reader: Browser, catalogue: Api) -> None:
    html = reader.get("/packages/alice/small-sums").html
    summary = catalogue.get("/api/v1/packages/alice/small-sums").json()["card"]["summary"]
    said = dict(re.findall(r'<meta property="og:([\w:]+)" content="([^"]*)"', html))
    assert "alice/small-sums" in said["title"]
    assert said["description"] == summary
    assert "/static/preview.png" in said["image"]
    picture = reader.get(said["image"].removeprefix("http://hub.test")).answer
    assert picture.content.startswith(b"\x89PNG")
    assert (said["image:width"], said["image:height"]) == ("1200", "630")

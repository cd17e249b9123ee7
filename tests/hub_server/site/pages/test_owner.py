"""Everything of one owner."""

from fastapi import FastAPI

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


def test_an_owner_has_a_page(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/owners/alice")
    assert "small-sums" in page.text
    assert "person" in page.text


def test_an_owner_says_who_it_is_and_strangers_read_it(reader: Browser, app: FastAPI) -> None:
    reader.sign_up("carol")
    typed = {"display_name": "Carol & Co", "description": "Sums <b>only</b>.", "link": "https://example.org/sums"}
    for page in (reader.get("/account"), reader.get("/owners/carol")):
        assert page.all("form", action="/owners/carol/profile")
    page = reader.post("/owners/carol/profile", typed)
    assert page.url.endswith("/owners/carol")
    stranger = Browser(app).get("/owners/carol")
    assert "Carol & Co" in stranger.text
    assert "Sums <b>only</b>." in stranger.text, "markup is text"
    (link,) = stranger.all("a", href="https://example.org/sums")
    assert link["rel"] == "nofollow ugc noopener noreferrer"
    assert not stranger.all("form", action="/owners/carol/profile")


def test_a_refused_change_keeps_what_was_typed(reader: Browser) -> None:
    reader.sign_up("carol")
    page = reader.post("/owners/carol/profile", {"description": "Sums.", "link": "javascript:alert(1)"})
    assert page.status == 422
    assert "whole http or https address" in page.text
    assert page.all("input", value="javascript:alert(1)")
    assert not page.all("a", href="javascript:alert(1)")

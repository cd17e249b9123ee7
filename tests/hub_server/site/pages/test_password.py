"""The password again: before a token is made, and when it is changed."""

from tests.fakes.clock import FakeClock
from tests.hub_server.site.conftest import Browser
from tests.making.hub import PASSWORD

NEW = "another long password"


def test_a_token_is_made_after_the_password_and_not_by_an_old_cookie(reader: Browser, clock: FakeClock) -> None:
    reader.sign_up("carol")
    assert reader.post("/account/tokens", {"name": "ci", "scopes": "publish"}).status == 200
    clock.advance(16 * 60)
    assert reader.post("/account/tokens", {"name": "two", "scopes": "publish"}).status == 403
    page = reader.get("/account")
    assert "/account/proof" in " ".join(page.links)
    assert page.all("form", action="/account/tokens") == []
    assert reader.post("/account/proof", {"password": "wrong", "next": "/account"}).status == 401
    assert "Make this token" in reader.post("/account/proof", {"password": PASSWORD, "next": "/account"}).text
    assert reader.post("/account/tokens", {"name": "two", "scopes": "publish"}).status == 200


def test_nobody_is_sent_elsewhere_after_the_password(reader: Browser) -> None:
    reader.sign_up("carol")
    page = reader.get("/account/proof?next=//evil.example")
    assert page.all("input", name="next")[0]["value"] == "/account"


def test_a_stranger_is_asked_to_sign_in(reader: Browser) -> None:
    assert "Sign in" in reader.get("/account/proof").text
    assert reader.post("/account/proof", {"password": PASSWORD}).status == 401


def test_a_new_password_signs_everybody_out(reader: Browser, app) -> None:
    reader.sign_up("carol")
    other = Browser(app)
    other.post("/login", {"name": "carol", "password": PASSWORD})
    assert len(reader.get("/account").all("form", method="post")) > 3
    assert reader.post("/account/password", {"old": PASSWORD, "new": "short"}).status == 422
    assert reader.post("/account/password", {"old": "wrong", "new": NEW}).status == 401
    assert "Sign in" in reader.post("/account/password", {"old": PASSWORD, "new": NEW}).text
    assert "Sign in" in other.get("/account").text
    assert reader.post("/login", {"name": "carol", "password": NEW}).status == 200


def test_another_browser_is_ended_from_the_list(reader: Browser, app) -> None:
    reader.sign_up("carol")
    other = Browser(app)
    other.post("/login", {"name": "carol", "password": PASSWORD})
    (end,) = [form["action"] for form in reader.get("/account").all("form") if "/end" in form["action"]][:1]
    ends = [form["action"] for form in reader.get("/account").all("form") if "/end" in form["action"]]
    assert end in ends
    for action in ends:
        if reader.get("/account").status == 200:
            reader.post(action)
    assert "Sign in" in other.get("/account").text

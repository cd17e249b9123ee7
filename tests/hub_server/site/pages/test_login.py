"""Signing in and out."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import PASSWORD, Api


def test_signing_in_goes_where_it_was_asked_from(reader: Browser, alice: Api) -> None:
    page = reader.post("/login", {"name": "alice", "password": PASSWORD, "next": "/runs"})
    assert page.url.endswith("/runs")
    assert [a for a in page.all("a") if a["href"] == "/account"]


def test_a_wrong_password_says_only_that_it_is_wrong(reader: Browser, alice: Api) -> None:
    page = reader.post("/login", {"name": "alice", "password": "not the password"})
    assert page.status == 401
    assert "Name or password is wrong." in page.text
    assert page.all("input", name="name", value="alice")
    unknown = reader.post("/login", {"name": "nobody", "password": "not the password"})
    assert "Name or password is wrong." in unknown.text


def test_signing_out_ends_the_session(reader: Browser) -> None:
    reader.sign_up("jun")
    reader.post("/logout")
    assert reader.get("/account").url.endswith("/login?next=/account")

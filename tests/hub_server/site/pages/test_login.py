"""Signing in and out."""

from fastapi import FastAPI

from hub_server.accounts.actions.password_tries import take_try
from hub_server.accounts.rules.passwords import WRONG_PASSWORDS
from hub_server.kernel.services import Services
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


def test_who_guesses_from_elsewhere_locks_nobody_out_of_a_browser_that_was_signed_in_with(
    reader: Browser, alice: Api, app: FastAPI, services: Services
) -> None:
    reader.post("/login", {"name": "alice", "password": PASSWORD})
    reader.post("/logout")
    for _ in range(WRONG_PASSWORDS):
        take_try(services, "alice", "")
    elsewhere = Browser(app)
    refused = elsewhere.post("/login", {"name": "alice", "password": PASSWORD})
    assert refused.status == 429
    assert "a browser that you have signed in with" in refused.text
    assert reader.post("/login", {"name": "alice", "password": PASSWORD}).url.endswith("/account")
    new = "another long password"
    reader.post("/account/password", {"old": PASSWORD, "new": new})
    for _ in range(WRONG_PASSWORDS):
        take_try(services, "alice", "")
    assert reader.post("/login", {"name": "alice", "password": new}).url.endswith("/account")

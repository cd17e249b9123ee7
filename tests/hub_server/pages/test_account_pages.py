"""Accounts by plain forms: sign up, sign in, tokens, letting a device in."""

import re

import pytest

from tests.hub_server.pages.conftest import Browser
from tests.making.hub import PASSWORD, Api


def test_signing_up_signs_in_and_leaves_no_token_behind(reader: Browser) -> None:
    page = reader.sign_up("jun")
    assert page.url.endswith("/account")
    assert "jun" in page.text
    assert "No tokens" in page.text


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"name": "J", "email": "j@example.org", "password": PASSWORD}, "name"),
        ({"name": "two-words", "email": "j@example.org", "password": PASSWORD}, "name"),
        ({"name": "jun", "email": "nowhere", "password": PASSWORD}, "email"),
        ({"name": "jun", "email": "j@example.org", "password": "short"}, "password"),
    ],
)
def test_signing_up_names_the_field_and_never_repeats_the_password(reader: Browser, form: dict, field: str) -> None:
    page = reader.post("/signup", form)
    assert page.status == 422
    assert page.all("input", name=field)[0]["aria-invalid"] == "true"
    assert form["password"] not in page.html


def test_a_taken_name_is_refused_in_words(reader: Browser, alice: Api) -> None:
    page = reader.sign_up("alice")
    assert page.status == 409
    assert "taken" in page.text
    assert page.all("input", name="email", value="alice@example.org")


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


def test_a_token_is_shown_once_works_and_can_be_revoked(reader: Browser, api: Api) -> None:
    reader.sign_up("jun")
    page = reader.post("/account/tokens", {"name": "cluster", "scopes": ["runs", "read"], "expires_days": "30"})
    secret = re.search(r"verihub_pat_\w+", page.html)
    assert secret is not None
    assert "runs, read" in page.text
    assert api.as_token(secret[0]).get("/api/v1/account").json()["name"] == "jun"
    later = reader.get("/account")
    assert secret[0] not in later.html
    assert "cluster" in later.text
    action = next(a["action"] for a in later.all("form") if a.get("action", "").endswith("/revoke"))
    assert "No tokens" in reader.post(action).text
    assert api.as_token(secret[0]).get("/api/v1/account").status_code == 401


@pytest.mark.parametrize("form", [{"name": "", "scopes": "runs"}, {"name": "x", "scopes": "everything"}, {"name": "x", "expires_days": "9999"}])  # fmt: skip
def test_an_impossible_token_is_not_made(reader: Browser, form: dict) -> None:
    reader.sign_up("jun")
    page = reader.post("/account/tokens", form)
    assert page.status == 422
    assert "No tokens" in page.text


def test_a_device_is_let_in_by_its_code(reader: Browser, api: Api) -> None:
    started = api.post("/api/v1/device/code", json={"client_name": "verihub on a laptop"}).json()
    assert reader.get("/device").url.startswith("http://hub.test/login")
    reader.sign_up("jun")
    shown = reader.get(f"/device?code={started['user_code']}")
    assert started["user_code"] in shown.html
    page = reader.post("/device", {"code": started["user_code"], "decision": "allow"})
    assert "is signed in as jun" in page.text
    collected = api.post("/api/v1/device/token", json={"device_code": started["device_code"]}).json()
    assert api.as_token(collected["secret"]).get("/api/v1/account").json()["name"] == "jun"


def test_a_code_that_nobody_gave_allows_nothing(reader: Browser) -> None:
    reader.sign_up("jun")
    page = reader.post("/device", {"code": "BCDF-GHJK", "decision": "allow"})
    assert page.status >= 400
    assert "Nothing was allowed" in page.text


def test_forms_of_other_sites_change_nothing(reader: Browser) -> None:
    reader.sign_up("jun")
    page = reader.post("/logout", {}, **{"sec-fetch-site": "cross-site"})
    assert page.status == 403
    assert "jun" in reader.get("/account").text


def test_an_owner_has_a_page(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/owners/alice")
    assert "small-sums" in page.text
    assert "person" in page.text

"""Your account, with its tokens."""

import re

import pytest

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


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


def test_the_form_says_what_a_name_may_not_hold(reader: Browser) -> None:
    reader.sign_up("jun")
    page = reader.post("/account/tokens", {"name": "ci\u202egnp", "scopes": "runs"})
    assert page.status == 422
    assert "without control characters such as U+202E" in page.text


def test_a_token_of_one_owner_is_made_and_named_on_the_page(reader: Browser) -> None:
    reader.sign_up("carol")
    asked: dict[str, str | list[str]] = {"name": "ci", "owner": "carol", "scopes": ["publish", "runs"]}
    made = reader.post("/account/tokens", asked)
    assert "Your new token" in made.text
    assert "publish for carol alone" in made.text
    assert "name of an account or organisation" in reader.post("/account/tokens", {**asked, "owner": "no name"}).text
    refused = reader.post("/account/tokens", {**asked, "owner": "alice"})
    assert refused.status == 403
    assert refused.all("input", value="alice"), "what was typed is kept"
    assert reader.post("/account/tokens", {**asked, "package": "carol/sums"}).status == 422


def test_a_token_of_one_package_is_made_and_named_on_the_page(reader: Browser) -> None:
    reader.sign_up("carol")
    asked: dict[str, str | list[str]] = {"name": "ci", "package": "carol/sums", "scopes": ["publish", "runs"]}
    made = reader.post("/account/tokens", asked)
    assert "Your new token" in made.text
    assert "publish of carol/sums alone" in made.text
    assert "OWNER/NAME" in reader.post("/account/tokens", {**asked, "package": "nonsense"}).text
    refused = reader.post("/account/tokens", {**asked, "package": "alice/sums"})
    assert refused.status == 403
    assert refused.all("input", value="alice/sums"), "what was typed is kept"

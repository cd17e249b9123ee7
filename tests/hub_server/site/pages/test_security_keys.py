"""Security keys on the pages, as a browser sends what a key answers."""

import json

import pytest
from fastapi import FastAPI

from hub_server.settings import ServerSettings
from tests.fakes.clock import FakeClock
from tests.hub_server.site.conftest import Browser
from tests.making.hub import PASSWORD, Api
from tests.making.security_key import SoftwareKey

FORM = {"name": "carol", "password": PASSWORD}


@pytest.fixture
def settings(settings: ServerSettings) -> ServerSettings:
    return settings.model_copy(update={"public_url": "https://hub.example"})


def question(reader: Browser, path: str, **form: str) -> dict:
    return json.loads(reader.post(path, form, accept="application/json").html)


def add(reader: Browser, key: SoftwareKey, name: str = "blue key") -> str:
    answer = key.register(question(reader, "/account/security-keys/question"))
    return reader.post("/account/security-keys", {"name": name, "key": answer}).text


def test_signing_in_and_proving_with_a_key(reader: Browser, app: FastAPI, clock: FakeClock) -> None:
    reader.sign_up("carol")
    key = SoftwareKey()
    assert "Your recovery codes" in add(reader, key)
    assert "blue key" in reader.get("/account/second-factor").text
    assert "Your recovery codes" not in reader.get("/account/second-factor").text
    other = Browser(app)
    page = other.post("/login", {**FORM, "next": "/runs"})
    assert "Use your security key" in page.text
    assert "A recovery code" in page.text
    assert "code of the app" not in page.text
    sent = {name: page.all("input", name=name)[0]["value"] for name in ("ticket", "next")}
    assert other.post("/login/code", {**sent, "key": "{}"}).status == 401
    answer = key.prove(question(other, "/login/key-question", ticket=sent["ticket"]))
    assert other.post("/login/code", {**sent, "key": answer}).url.endswith("/runs")
    clock.advance(16 * 60)
    assert "JavaScript" in other.get("/account/proof").text
    assert other.post("/account/proof", {"password": PASSWORD}).status == 403
    answer = key.prove(question(other, "/login/key-question"))
    assert other.post("/account/proof", {"password": PASSWORD, "key": answer, "next": "/runs"}).url.endswith("/runs")
    (form,) = [one for one in other.get("/account/second-factor").all("form") if "remove" in one["action"]]
    assert other.post(form["action"]).status == 403  # the password and the key of a moment ago are not enough
    answer = key.prove(question(other, "/login/key-question"))
    assert "blue key" not in other.post(form["action"], {"key": answer}).text
    assert Browser(app).post("/login", FORM).url.endswith("/account")


def test_a_question_is_kept_by_no_cache_and_is_not_for_strangers(reader: Browser, app: FastAPI) -> None:
    reader.sign_up("carol")
    assert reader.post("/login/key-question").status == 409  # she has no key
    for path in ("/login/key-question", "/account/security-keys/question"):
        assert Browser(app).post(path).status == 401
    assert Browser(app).post("/login/key-question", {"ticket": "made up"}).status == 401
    foreign = {"sec-fetch-site": "cross-site"}
    assert reader.post("/account/security-keys/question", {}, **foreign).status == 403


def test_the_password_is_changed_and_the_app_switched_off_by_a_key(reader: Browser, app: FastAPI) -> None:
    reader.sign_up("carol")
    key = SoftwareKey()
    add(reader, key)
    answer = key.prove(question(reader, "/login/key-question"))
    assert reader.post("/account/second-factor/disable", {"key": answer}).status == 200
    form = {"old": PASSWORD, "new": PASSWORD + "!"}
    assert reader.post("/account/password", form).status == 403
    answer = key.prove(question(reader, "/login/key-question"))
    assert reader.post("/account/password", {**form, "key": answer}).url.endswith("/login")


def test_what_a_page_says_of_a_wrong_answer(reader: Browser) -> None:
    reader.sign_up("carol")
    page = reader.post("/account/security-keys", {"name": "blue", "key": "{}"})
    assert page.status == 409
    assert "not valid" in page.text


def test_the_api_lists_and_removes_keys_and_asks_for_a_code_that_a_shell_can_type(reader: Browser, api: Api) -> None:
    reader.sign_up("carol")
    add(reader, SoftwareKey())
    refused = api.post("/api/v1/login", json=FORM)
    assert refused.json()["code"] == "second_factor_needed"
    assert "verihub login --browser" in refused.json()["detail"]
    state = json.loads(reader.get("/api/v1/account/second-factor").html)
    (key,) = state["security_keys"]
    assert (key["name"], state["recovery_codes_left"]) == ("blue key", 10)
    assert api.request("DELETE", f"/api/v1/account/security-keys/{key['id']}").status_code == 401

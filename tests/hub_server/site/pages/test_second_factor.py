"""The second factor on the pages: switched on, asked for after the password and for its proof, switched off."""

from fastapi import FastAPI

from tests.fakes.clock import FakeClock
from tests.hub_server.accounts.actions.test_second_factors import Phone
from tests.hub_server.site.conftest import Browser, Page
from tests.making.hub import PASSWORD, Api

FORM = {"name": "carol", "password": PASSWORD}


class _Clocked:
    """What a phone needs of a driver."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock


def switch_on(reader: Browser, clock: FakeClock) -> Phone:
    page = reader.post("/account/second-factor/start")
    (link,) = [a["href"] for a in page.all("a") if a.get("href", "").startswith("otpauth://totp/")]
    phone = Phone(_Clocked(clock), link.partition("secret=")[2].partition("&")[0])  # type: ignore[arg-type]
    wrong = reader.post("/account/second-factor/enable", {"code": "000"})
    assert (wrong.status, link in wrong.html.replace("&amp;", "&")) == (422, True), "the app keeps its secret"
    assert "Type the next one" in wrong.text
    assert "Your recovery codes" in reader.post("/account/second-factor/enable", {"code": phone.code()}).text
    assert "Your recovery codes" not in reader.get("/account/second-factor").text
    clock.advance(60)
    return phone


def field(page: Page, name: str) -> str:
    return page.all("input", name=name)[0]["value"]


def test_whoever_typed_the_password_too_long_ago_is_asked_for_it_and_led_back(
    reader: Browser, app: FastAPI, clock: FakeClock
) -> None:
    reader.sign_up("carol")
    reader.post("/account/second-factor/start")
    clock.advance(16 * 60)
    for form in ("second-factor/enable", "security-keys"):  # a code or an answer of a key would not keep as long
        page = reader.post(f"/account/{form}", {"code": "123456", "key": "{}", "name": "blue"})
        assert page.url.endswith("/account/proof?next=/account/second-factor"), form
        assert page.all("input", name="password")
    page = reader.post("/account/second-factor/start")
    assert "Your password, for this" in page.text, "the same form is sent again with the password"
    page = reader.post("/account/second-factor/start?proof", {"password": PASSWORD})
    assert "otpauth://totp/" in page.html


def test_signing_in_asks_for_the_code_after_the_password(reader: Browser, app: FastAPI, clock: FakeClock) -> None:
    reader.sign_up("carol")
    phone = switch_on(reader, clock)
    other = Browser(app)
    page = other.post("/login", {**FORM, "next": "/runs"})
    assert "Sign in" in other.get("/account").text  # the password alone opened nothing
    sent = {"ticket": field(page, "ticket"), "next": field(page, "next")}
    assert PASSWORD not in page.html
    assert other.post("/login/code", {**sent, "code": "000000"}).status == 401
    assert other.post("/login/code", {**sent, "code": ""}).status == 403
    assert other.post("/login/code", {**sent, "code": phone.code()}).url.endswith("/runs")
    clock.advance(16 * 60)
    assert other.post("/account/proof", {"password": PASSWORD}).status == 403
    assert other.post("/account/proof", {"password": PASSWORD, "code": phone.code()}).status == 200
    clock.advance(60)
    assert "The code is wrong" in other.post("/account/second-factor/disable", {"code": "1"}).text
    assert "Make a secret" in other.post("/account/second-factor/disable", {"code": phone.code()}).text
    assert Browser(app).post("/login", FORM).url.endswith("/account")


def test_the_api_asks_for_it_too(reader: Browser, api: Api, clock: FakeClock) -> None:
    reader.sign_up("carol")
    phone = switch_on(reader, clock)
    for path in ("/api/v1/login", "/api/v1/sudo"):
        refused = api.post(path, json=FORM)
        assert (refused.status_code, refused.json()["code"]) == (403, "second_factor_needed")
        assert api.post(path, json={**FORM, "code": "000000"}).status_code == 401
        assert api.post(path, json={**FORM, "code": phone.code()}).status_code == 200
        clock.advance(60)

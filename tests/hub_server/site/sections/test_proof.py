"""What a page asks for before acts that need the password, or the second factor too."""

from fastapi import FastAPI

from tests.fakes.clock import FakeClock
from tests.hub_server.site.conftest import Browser
from tests.hub_server.site.pages.test_second_factor import switch_on
from tests.making.hub import PASSWORD, Api

FORMS = {
    "/account/email": {"email": "thief@example.org"},
    "/account/tokens": {"name": "for ever", "scopes": "publish", "expires_days": "365"},
    "/account/second-factor/start": {},
    "/account/second-factor/disable": {},
    "/account/security-keys/question": {},
    "/account/security-keys/x/remove": {},
}


def test_a_page_sends_to_the_password_first_and_leads_back(reader: Browser, clock: FakeClock) -> None:
    reader.sign_up("carol")
    clock.advance(16 * 60)
    assert reader.get("/organizations/new").url.endswith("/account/proof?next=%2Forganizations%2Fnew")


def test_a_copied_cookie_does_nothing_that_lasts(reader: Browser, clock: FakeClock) -> None:
    reader.sign_up("carol")
    phone = switch_on(reader, clock)
    for path, form in FORMS.items():
        assert reader.post(path, form).status == 403, path
    assert "The code is wrong" in reader.post("/account/tokens", {**FORMS["/account/tokens"], "code": "000000"}).text
    assert "for ever" not in reader.get("/account").text
    assert "for ever" in reader.post("/account/tokens", {**FORMS["/account/tokens"], "code": phone.code()}).text


def test_a_command_is_let_act_by_the_factor_and_the_page_says_what_that_means(
    reader: Browser, app: FastAPI, api: Api, clock: FakeClock
) -> None:
    reader.sign_up("carol")
    token = Api(app).post("/api/v1/login", json={"name": "carol", "password": PASSWORD}).json()["secret"]
    phone = switch_on(reader, clock)
    ask = {"client_name": "laptop", "purpose": "proof"}
    assert api.post("/api/v1/device/code", json=ask).status_code == 401
    asked = api.as_token(token).post("/api/v1/device/code", json=ask).json()
    page = reader.get(f"/device?code={asked['user_code']}").text
    assert "asks for more" in page
    assert "Let a command act as you for fifteen minutes" in page
    assert "Let a device in" not in page
    form = {"device": asked["user_code"], "decision": "allow", "code": phone.code()}
    assert "Nothing was allowed" in reader.post("/device", form).text  # typed by hand: this page said nothing yet
    clock.advance(60)
    form |= {"knows_proof": "1", "code": phone.code()}
    assert "may act as carol for fifteen minutes" in reader.post("/device", form).text
    poll = {"device_code": asked["device_code"]}
    proof = api.post("/api/v1/device/proof", json=poll).json()["secret"]
    assert api.as_token(proof).post("/api/v1/tokens", json={"name": "by a shell"}).status_code == 201

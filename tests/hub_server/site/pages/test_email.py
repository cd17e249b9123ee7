"""One's own address: shown to its person alone, confirmed by a click, changed with the password."""

from dataclasses import replace

from fastapi import FastAPI

from tests.fakes.clock import FakeClock
from tests.fakes.mailer import FakeMailer
from tests.hub_server.site.conftest import Browser
from tests.hub_server.site.pages.test_recovery import mailer
from tests.making.hub import run_jobs

__all__ = ["mailer"]


def test_an_address_is_confirmed_by_a_click_and_not_by_opening_its_link(
    reader: Browser, app: FastAPI, mailer: FakeMailer
) -> None:
    reader.sign_up("carol")
    assert "carol@example.org: not confirmed" in reader.get("/account").text
    reader.post("/account/email/link")
    run_jobs(app.state.services)
    stranger = Browser(app)  # the link may be opened on another machine
    page = stranger.get(f"/account/email/confirmation?code={mailer.code}")
    assert "not confirmed" in reader.get("/account").text
    code = page.all("input", name="code")[0]["value"]
    assert "The address of carol is confirmed" in stranger.post("/account/email/confirmation", {"code": code}).text
    assert "carol@example.org: confirmed" in reader.get("/account").text
    assert stranger.post("/account/email/confirmation", {"code": code}).status == 404


def test_another_address_needs_the_password_and_is_not_confirmed(reader: Browser, clock: FakeClock) -> None:
    reader.sign_up("carol")
    assert "new@example.org: not confirmed" in reader.post("/account/email", {"email": "new@example.org"}).text
    assert reader.post("/account/email", {"email": "none"}).status == 422
    clock.advance(16 * 60)
    assert reader.post("/account/email", {"email": "eve@example.org"}).status == 403


def test_a_hub_without_a_mail_server_offers_no_mail(reader: Browser, app: FastAPI) -> None:
    """The account page had a button that mails the link, and nothing was ever mailed."""
    reader.sign_up("carol")
    for page in ("/account", "/account/watches"):
        assert "This hub has no mail server" in reader.get(page).text, page
    assert "Write the link that confirms it to the log" in reader.get("/account").text
    assert "Mail the link" not in reader.get("/account").text
    services = app.state.services
    mail = services.settings.mail.model_copy(update={"host": "mail.example.org"})
    app.state.services = replace(services, settings=services.settings.model_copy(update={"mail": mail}))
    assert "Mail the link that confirms it" in reader.get("/account").text
    for page in ("/account", "/account/watches"):
        assert "no mail server" not in reader.get(page).text, page

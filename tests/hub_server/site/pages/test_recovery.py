"""A forgotten password, on the pages: the same answer for everybody, and links that programs may open."""

from dataclasses import replace

import pytest
from fastapi import FastAPI

from tests.fakes.mailer import FakeMailer
from tests.hub_server.site.conftest import Browser
from tests.making.hub import PASSWORD, run_jobs

NEW = "another long password"


@pytest.fixture
def mailer(app: FastAPI) -> FakeMailer:
    mailer = FakeMailer()
    app.state.services = replace(app.state.services, mailer=mailer)
    return mailer


def test_a_forgotten_password_is_set_anew_by_a_link(reader: Browser, app: FastAPI, mailer: FakeMailer) -> None:
    reader.sign_up("carol")
    other = Browser(app)
    assert "/account/recovery" in " ".join(other.get("/login").links)
    known = other.post("/account/recovery", {"account": "carol"})
    unknown = other.post("/account/recovery", {"account": "nobody"})
    assert (known.status, known.text) == (unknown.status, unknown.text)
    run_jobs(app.state.services)
    (mail,) = mailer.sent
    assert PASSWORD not in mail.text
    link = f"/account/recovery/password?code={mailer.code}"
    for _ in range(2):  # a program that reads mail opens it first
        page = other.get(link)
    assert page.answer.headers["referrer-policy"] == "no-referrer"
    form = {"code": page.all("input", name="code")[0]["value"], "new": NEW}
    assert other.post("/account/recovery/password", {**form, "new": "short"}).status == 422
    assert "Your password is set" in other.post("/account/recovery/password", form).text
    assert other.post("/account/recovery/password", form).status == 404
    assert "Sign in" in reader.get("/account").text
    assert reader.post("/login", {"name": "carol", "password": NEW}).status == 200


def test_a_hub_without_a_mail_server_says_where_the_link_is(reader: Browser) -> None:
    """It promised a mail, which the hub that `verihub serve` starts never sends."""
    for page in (reader.get("/account/recovery"), reader.post("/account/recovery", {"account": "nobody"})):
        assert "This hub has no mail server" in page.text
        assert "written to the hub’s log" in page.text
    assert "Mail the link" not in reader.get("/account/recovery").text


def test_a_hub_with_a_mail_server_says_that_it_mails(reader: Browser, app: FastAPI) -> None:
    services = app.state.services
    mail = services.settings.mail.model_copy(update={"host": "mail.example.org"})
    app.state.services = replace(services, settings=services.settings.model_copy(update={"mail": mail}))
    page = reader.get("/account/recovery")
    assert "We mail a link" in page.text
    assert "no mail server" not in page.text

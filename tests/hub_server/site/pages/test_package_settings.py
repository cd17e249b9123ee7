"""What owners do with a package on its page of settings, without a script; nobody else sees or uses it."""

import pytest
from fastapi import FastAPI

from tests.hub_server.site.conftest import Browser
from tests.making.hub import PASSWORD, Api, make_package

SUMS = "/packages/carol/sums"
SETTINGS = f"{SUMS}/settings"


@pytest.fixture
def carol(app: FastAPI) -> Browser:
    browser = Browser(app)
    browser.sign_up("carol")
    token = Api(app).post("/api/v1/login", json={"name": "carol", "password": PASSWORD}).json()["secret"]
    assert Api(app, token).publish(make_package("carol/sums")).status_code == 201
    return browser


@pytest.fixture
def dave(app: FastAPI) -> Browser:
    browser = Browser(app)
    browser.sign_up("dave")
    return browser


def test_its_owner_finds_it_and_nobody_else_does(carol: Browser, dave: Browser, reader: Browser) -> None:
    assert SETTINGS in {link.removeprefix("http://hub.test") for link in carol.get(SUMS).links}
    for browser in (dave, reader):
        assert SETTINGS not in browser.get(SUMS).html
    assert dave.get(SETTINGS).status == 403
    assert dave.post(SETTINGS, {"act": "archive", "reason": "x"}).status == 403
    assert reader.get(SETTINGS).url.startswith("http://hub.test/login")


def test_a_package_is_offered_taken_back_and_accepted(carol: Browser, dave: Browser) -> None:
    assert "neither an account nor an organisation" in carol.post(SETTINGS, {"act": "offer", "to": "nobody"}).text
    assert "is not the name" in carol.post(SETTINGS, {"act": "offer", "to": "No One"}).text
    assert "Offered to dave" in carol.post(SETTINGS, {"act": "offer", "to": "dave"}).text
    assert "Offered to" not in carol.post(SETTINGS, {"act": "take-back"}).text
    carol.post(SETTINGS, {"act": "offer", "to": "dave"})
    assert "carol/sums is offered to dave" in dave.get("/account").text
    assert dave.post("/account/offers", {"package": "carol/sums", "answer": "perhaps"}).status == 422
    page = dave.post("/account/offers", {"package": "carol/sums", "answer": "accept"})
    assert "owned by dave" in page.text
    assert "carol gave it to dave" in dave.get(SETTINGS).text
    assert carol.get(SETTINGS).status == 403
    assert "sums" in carol.get("/owners/dave").text.split("Packages")[-1]


def test_what_was_offered_to_somebody_else_is_not_taken(carol: Browser, dave: Browser, reader: Browser) -> None:
    carol.post(SETTINGS, {"act": "offer", "to": "dave"})
    refused = carol.post("/account/offers", {"package": "carol/sums", "answer": "accept"})
    assert (refused.status, "Nobody has offered" in refused.text) == (404, True)
    assert reader.post("/account/offers", {"package": "carol/sums", "answer": "accept"}).status in {401, 403}
    declined = dave.post("/account/offers", {"package": "carol/sums", "answer": "decline"})
    assert declined.url.endswith("/account")
    assert "declined by dave" in carol.get(SETTINGS).text


def test_an_archived_package_says_so_and_opens_again(carol: Browser, reader: Browser) -> None:
    assert "needs a reason" in carol.post(SETTINGS, {"act": "archive", "reason": " "}).text
    carol.post(SETTINGS, {"act": "archive", "reason": "<b>use</b> another"})
    page = reader.get(SUMS)
    assert "This package is archived. <b>use</b> another" in page.text, "an owner's words are text"
    assert "Archived" in reader.get("/packages").text
    carol.post(SETTINGS, {"act": "unarchive"})
    assert "archived" not in reader.get(SUMS).text


def test_a_deletion_is_typed_out(carol: Browser, reader: Browser) -> None:
    refused = carol.post(SETTINGS, {"act": "delete", "version": "1.0.0", "confirmed": "yes"})
    assert (refused.status, "cannot be undone" in refused.text) == (422, True)
    done = carol.post(SETTINGS, {"act": "delete", "version": "1.0.0", "confirmed": "carol/sums 1.0.0"})
    assert done.status == 200, done.text
    assert "was taken down" in reader.get(f"{SUMS}/releases/1.0.0").text
    again = carol.post(SETTINGS, {"act": "delete", "confirmed": "carol/sums"})
    assert again.status == 200, "nothing is left, and nothing is refused"


def test_an_act_that_there_is_not_is_named(carol: Browser) -> None:
    refused = carol.post(SETTINGS, {"act": "explode"})
    assert (refused.status, "explode" in refused.text) == (422, True)


def test_who_watches_a_package_goes_on_watching_it_when_it_changes_hands(carol: Browser, dave: Browser) -> None:
    carol.post(f"{SUMS}/watch", {"act": "begin"})
    before = [a["value"] for a in carol.get(SUMS).all("button", name="act")]
    carol.post(SETTINGS, {"act": "offer", "to": "dave"})
    dave.post("/account/offers", {"package": "carol/sums", "answer": "accept"})
    assert [a["value"] for a in carol.get(SUMS).all("button", name="act")] == before == ["end"]

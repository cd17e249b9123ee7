"""An organisation's day on the pages, without a script: founded, people asked in, roles changed, left."""

import pytest
from fastapi import FastAPI

from tests.hub_server.site.conftest import Browser


@pytest.fixture
def carol(app: FastAPI) -> Browser:
    browser = Browser(app)
    browser.sign_up("carol")
    return browser


@pytest.fixture
def dave(app: FastAPI) -> Browser:
    browser = Browser(app)
    browser.sign_up("dave")
    return browser


def found(carol: Browser) -> None:
    assert carol.get("/organizations/new").headings == 1
    assert carol.post("/organizations", {"name": "ourlab"}).url.endswith("/owners/ourlab")


def test_it_is_founded_and_somebody_asked_in_who_accepts(carol: Browser, dave: Browser) -> None:
    found(carol)
    page = carol.post("/owners/ourlab/members", {"account": "dave", "role": "maintainer"})
    assert "asked to be maintainer" in page.text
    assert "asked to be" not in dave.get("/owners/ourlab").text, "only members see who was asked"
    for page in (dave.get("/account"), dave.get("/owners/ourlab")):
        assert "ourlab asks you to be its maintainer" in page.text
        assert page.all("form", action="/account/invitations/ourlab")
    assert not carol.get("/owners/ourlab").all("form", action="/account/invitations/ourlab")
    assert "ourlab, maintainer" in dave.post("/account/invitations/ourlab", {"answer": "accept"}).text
    assert "dave" in dave.get("/owners/ourlab").text
    changed = carol.post("/owners/ourlab/members", {"account": "dave", "role": "owner"})
    assert changed.all("option", selected="")
    left = carol.post("/owners/ourlab/members/carol/remove")
    assert "carol" not in left.text.split("Members")[-1]


@pytest.mark.parametrize(
    ("address", "form", "words"),
    [
        ("/owners/ourlab/members", {"account": "nobody", "role": "member"}, "no account 'nobody'"),
        ("/owners/ourlab/members", {"account": "No Name", "role": "member"}, "2 to 39"),
        ("/owners/ourlab/members", {"account": "carol", "role": "king"}, "2 to 39"),
        ("/owners/ourlab/members", {"account": "carol", "role": "member"}, "without an owner"),
        ("/owners/ourlab/members/carol/remove", {}, "without an owner"),
    ],
)
def test_a_refusal_stands_on_the_page(
    carol: Browser, address: str, form: dict[str, str | list[str]], words: str
) -> None:
    found(carol)
    page = carol.post(address, form)
    assert page.status in {404, 409, 422}
    assert words in page.text
    assert page.headings == 1


def test_a_name_that_cannot_be_given_is_refused_with_what_was_typed(carol: Browser) -> None:
    for name, status, words in (("carol", 409, "is taken"), ("Not One", 422, "2 to 39"), ("admin", 409, "reserved")):
        page = carol.post("/organizations", {"name": name})
        assert (page.status, words in page.text) == (status, True)
        assert page.all("input", name="name", value=name)


def test_nobody_but_its_owners_gets_the_forms_or_their_effect(carol: Browser, dave: Browser, reader: Browser) -> None:
    found(carol)
    for browser in (dave, reader):
        page = browser.get("/owners/ourlab")
        assert not page.all("form", action="/owners/ourlab/members")
    assert dave.post("/owners/ourlab/members", {"account": "dave", "role": "owner"}).status == 403
    assert dave.post("/owners/ourlab/members/carol/remove").status == 403
    assert reader.post("/owners/ourlab/members", {"account": "dave", "role": "owner"}).status in {401, 403}


def test_it_needs_the_password(reader: Browser) -> None:
    assert reader.get("/organizations/new").url.startswith("http://hub.test/login")

"""Reporting a collection to the moderators."""

import pytest

from tests.hub_server.site.conftest import Browser
from tests.hub_server.site.pages.collections.test_collection_page import write
from tests.making.hub import Api

PAGE = "/collections/alice/begin"
FORM = {"reason": "spam", "text": "It sells <b>watches</b>."}


def test_a_report_reaches_the_moderators_who_hide_the_collection(app, reader: Browser, catalogue: Api) -> None:
    write(catalogue)
    assert reader.get(PAGE).all("a", href=f"{PAGE}/report")
    reader.sign_up("jun")
    assert reader.get(f"{PAGE}/report").status == 200
    assert "Thank you" in reader.post(f"{PAGE}/report", FORM).text
    assert "watches" not in reader.get("/moderation").text
    moderator = Browser(app)
    moderator.sign_up("moda")
    page = moderator.get("/moderation")
    assert "It sells <b>watches</b>." in page.text
    assert "<b>watches" not in page.html
    assert page.all("a", href=PAGE)
    assert page.all("a", href="/moderation?target=alice#act")
    action = next(a["action"] for a in page.all("form") if a.get("action", "").endswith("/decision"))
    moderator.post(f"{PAGE}/hide", {"reason": "It advertises."})
    moderator.post(action, {"state": "acted", "decision": "Hidden."})
    assert reader.get(PAGE).status == 410
    assert reader.get(f"{PAGE}/report").status == 410
    log = reader.get("/moderation").text
    assert "It advertises." in log
    assert "Hidden." in log


@pytest.mark.parametrize(
    "form", [{"reason": "", "text": "x"}, {"reason": "malware", "text": " "}, {"reason": "ugly", "text": "x"}]
)
def test_a_report_says_what_it_lacks(reader: Browser, catalogue: Api, form: dict) -> None:
    write(catalogue)
    reader.sign_up("jun")
    assert reader.post(f"{PAGE}/report", form).status == 422


def test_a_report_without_an_account_keeps_the_words(reader: Browser, catalogue: Api) -> None:
    write(catalogue)
    page = reader.post(f"{PAGE}/report", FORM)
    assert page.status == 401
    assert "It sells" in page.text


def test_a_private_collection_is_not_reported_and_strangers_do_not_learn_of_it(reader: Browser, catalogue: Api) -> None:
    write(catalogue, visibility="private")
    body = {"reason": "spam", "text": "x"}
    refused = catalogue.post("/api/v1/collections/alice/begin/reports", json=body)
    assert (refused.status_code, "is private" in refused.json()["detail"]) == (422, True)
    reader.sign_up("jun")
    assert reader.get(f"{PAGE}/report").status == 404

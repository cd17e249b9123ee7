"""Reporting a person or an organisation to the moderators."""

import pytest

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

PAGE = "/owners/alice"
FORM = {"reason": "dishonest", "text": "It says it is <b>Bob</b>."}


def test_a_report_reaches_the_moderators_with_what_they_can_do(app, reader: Browser, catalogue: Api) -> None:
    assert reader.get(PAGE).all("a", href=f"{PAGE}/report")
    reader.sign_up("jun")
    assert reader.get(f"{PAGE}/report").status == 200
    assert "Thank you" in reader.post(f"{PAGE}/report", FORM).text
    assert "Bob" not in reader.get("/moderation").text
    moderator = Browser(app)
    moderator.sign_up("moda")
    page = moderator.get("/moderation")
    assert "It says it is <b>Bob</b>." in page.text
    assert "<b>Bob" not in page.html
    assert page.all("a", href=PAGE)
    assert page.all("a", href="/moderation?target=alice#act")
    action = next(a["action"] for a in page.all("form") if a.get("action", "").endswith("/decision"))
    moderator.post(action, {"state": "acted", "decision": "It was asked to say who it is."})
    assert "It was asked to say who it is." in reader.get("/moderation").text


@pytest.mark.parametrize(
    "form", [{"reason": "", "text": "x"}, {"reason": "malware", "text": " "}, {"reason": "ugly", "text": "x"}]
)
def test_a_report_says_what_it_lacks(reader: Browser, catalogue: Api, form: dict) -> None:
    reader.sign_up("jun")
    assert reader.post(f"{PAGE}/report", form).status == 422


def test_a_report_without_an_account_keeps_the_words_and_one_about_nobody_is_not_found(
    reader: Browser, catalogue: Api
) -> None:
    page = reader.post(f"{PAGE}/report", FORM)
    assert page.status == 401
    assert "It says it is" in page.text
    assert reader.get("/owners/nobody-here/report").status == 404

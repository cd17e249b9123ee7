"""Reporting a package to the moderators."""

import pytest

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

PACKAGE = "/packages/alice/small-sums"


def test_a_report_reaches_the_moderators_and_ends_in_the_log(app, reader: Browser, catalogue: Api) -> None:
    reader.sign_up("jun")
    form = {"reason": "dishonest", "text": "Its labels are all the same.", "version": "1.1.0"}
    assert "Thank you" in reader.post(f"{PACKAGE}/report", form).text
    assert "Its labels are all the same" not in reader.get("/moderation").text
    moderator = Browser(app)
    moderator.sign_up("moda")
    page = moderator.get("/moderation")
    assert "Its labels are all the same." in page.text
    moderator.post(f"{PACKAGE}/releases/1.1.0/quarantine", {"reason": "Labels made to deceive."})
    action = next(a["action"] for a in page.all("form") if a.get("action", "").endswith("/decision"))
    moderator.post(action, {"state": "acted", "decision": "Quarantined."})
    log = reader.get("/moderation").text
    assert "quarantined" in log
    assert "Labels made to deceive." in log
    shown = reader.get(f"{PACKAGE}/releases/1.1.0")
    assert "Release 1.1.0 is quarantined. Labels made to deceive." in shown.text
    assert "verihub pull" not in shown.text
    assert reader.get(f"{PACKAGE}/releases/1.1.0/try").status == 410


@pytest.mark.parametrize("form", [{"reason": "", "text": "x"}, {"reason": "malware", "text": " "}])
def test_a_report_says_what_it_lacks(reader: Browser, catalogue: Api, form: dict) -> None:
    reader.sign_up("jun")
    assert reader.post(f"{PACKAGE}/report", form).status == 422


def test_a_report_without_an_account_keeps_the_words(reader: Browser, catalogue: Api) -> None:
    page = reader.post(f"{PACKAGE}/report", {"reason": "malware", "text": "It calls home."})
    assert page.status == 401
    assert "It calls home." in page.html

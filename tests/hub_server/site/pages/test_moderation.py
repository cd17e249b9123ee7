"""What moderators do."""

from typing import get_args

from hub_server.site.pages.moderation import ACT_WORDS
from schemas.moderation import ModerationAction
from tests.hub_server.site.conftest import Browser
from tests.making.hub import PASSWORD, Api

PACKAGE = "/packages/alice/small-sums"


def test_nobody_else_quarantines(reader: Browser, catalogue: Api) -> None:
    assert reader.post(f"{PACKAGE}/releases/1.1.0/quarantine", {"reason": "x"}).status == 401
    reader.post("/login", {"name": "alice", "password": PASSWORD})
    assert reader.post(f"{PACKAGE}/releases/1.1.0/quarantine", {"reason": "x"}).status == 403
    assert "is quarantined" not in reader.get(f"{PACKAGE}/releases/1.1.0").text


def test_a_moderators_form_stops_a_package_an_account_and_a_name(reader: Browser, catalogue: Api, api: Api) -> None:
    reader.sign_up("moda")
    page = reader.get("/moderation?target=alice/small-sums")
    assert page.all("input", name="target")[0]["value"] == "alice/small-sums"
    for act, target in (("quarantine_package", "alice/small-sums"), ("suspend", "alice"), ("block_name", "mallory")):
        sent = {"act": act, "target": target, "reason": "steals <b>keys</b>", "hide": ""}
        assert reader.post("/moderation/acts", sent).status == 200, act
    text = reader.get("/moderation").text
    for words in ("quarantined the package", "suspended", "blocked the name", "steals <b>keys</b>"):
        assert words in text
    assert "This account is suspended." in reader.get("/owners/alice").text
    assert "The whole package is quarantined" in reader.get(f"{PACKAGE}/releases/1.1.0").text
    for act, target in (("release_package", "alice/small-sums"), ("unsuspend", "alice"), ("unblock_name", "mallory")):
        assert reader.post("/moderation/acts", {"act": act, "target": target, "reason": "no"}).status == 200, act
    assert catalogue.get("/api/v1/account").status_code == 200


def test_the_form_refuses_what_it_does_not_know_and_whoever_may_not(reader: Browser, catalogue: Api) -> None:
    assert reader.post("/moderation/acts", {"act": "suspend", "target": "alice", "reason": "x"}).status == 401
    reader.sign_up("moda")
    for form in (
        {"act": "burn", "target": "alice", "reason": "x"},
        {"act": "suspend", "target": "alice", "reason": " "},
        {"act": "block_name", "target": "../x", "reason": "x"},
    ):
        page = reader.post("/moderation/acts", form)
        assert page.status == 422
        assert "Nothing was done." in page.text
        assert page.all("input", name="target")[0]["value"] == form["target"], "what was typed stays"


def test_the_log_has_words_for_every_act() -> None:
    """One without broke the page for everybody, from the day on which an operator helped somebody who lost a phone."""
    assert set(ACT_WORDS) == set(get_args(ModerationAction))


def test_a_release_that_was_taken_down_has_a_page_that_says_so(reader: Browser, catalogue: Api, api: Api) -> None:
    moda = api.sign_up("moda")
    moda.post("/api/v1/packages/alice/small-sums/releases/1.0.0/takedown", json={"reason": "private data"})
    for tab in ("", "/code", "/audit", "/tasks", "/try"):
        page = reader.get(f"{PACKAGE}/releases/1.0.0{tab}")
        assert page.status in (200, 410), tab
    page = reader.get(f"{PACKAGE}/releases/1.0.0")
    assert "was taken down. private data" in page.text


def test_on_a_phone_the_log_keeps_its_reasons(reader: Browser, api: Api) -> None:
    """They were the last column, beyond the edge of a screen of 390 px."""
    reader.sign_up("moda")
    reader.post("/moderation/acts", {"act": "block_name", "target": "mallory", "reason": "steals keys"})
    [log] = [table for table in reader.get("/moderation").all("table") if "data" in table.get("class", "").split()]
    assert "stack-sm" in log["class"].split()

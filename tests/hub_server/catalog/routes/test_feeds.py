"""Atom feeds: well-formed whatever a summary or an address holds, newest first, without what is quarantined."""

from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub_server.catalog.routes.feeds import _printable
from hub_server.publishing.actions import publish
from tests.making.hub import Api, make_package
from tests.making.wheel import METADATA

ATOM = "{http://www.w3.org/2005/Atom}"
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def titles(api: Api, path: str) -> list[str]:
    answer = api.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/atom+xml")
    return [entry.findtext(f"{ATOM}title", "") for entry in ET.fromstring(answer.content).iter(f"{ATOM}entry")]


@given(st.text())
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_at_all_is_sound_xml_once_it_is_printable(database_url: object, text: str) -> None:
    element = ET.Element("summary")
    element.text = _printable(text)
    ET.fromstring(ET.tostring(element, encoding="utf-8"))


def test_each_feed_holds_its_own_and_the_newest_comes_first(alice: Api, bob: Api, api: Api) -> None:
    alice.publish(make_package())
    alice.publish(make_package(version="1.1.0"))
    bob.publish(make_package("bob/sums"))
    assert titles(api, "/feeds/releases.atom") == ["bob/sums 1.0.0", "alice/small-sums 1.1.0", "alice/small-sums 1.0.0"]
    assert titles(api, "/feeds/owners/bob.atom") == ["bob/sums 1.0.0"]
    assert titles(api, "/feeds/packages/alice/small-sums.atom") == titles(api, "/feeds/owners/alice.atom")
    assert titles(api, "/feeds/owners/nobody.atom") == []
    assert api.get("/feeds/packages/alice/nothing.atom").status_code == 404


def test_a_summary_turns_no_words_beside_it_in_a_feed_or_a_links_preview(
    alice: Api, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was published before such lines were refused is still shown."""
    turning = "\u202egrade A\u2066 \u0645"
    with monkeypatch.context() as patched:
        patched.setattr(publish, "problems_of_lines", lambda *_, **__: [])
        assert alice.publish(make_package(metadata=METADATA.replace("Sums of small numbers", turning))).is_success
    [entry] = ET.fromstring(api.get("/feeds/releases.atom").content).iter(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}summary") == "grade A \u0645"
    about = "/api/v1/packages/alice/small-sums/discussions"
    assert alice.post(about, json={"title": "\u202eabout", "text": "x"}).status_code == 422
    begun = alice.post(about, json={"title": '"<b>', "text": "x"})
    for path, words in (("", "grade A \u0645"), (f"/discussions/{begun.json()['id']}", "&#34;&lt;b&gt;")):
        page = api.get(f"/packages/alice/small-sums{path}", headers={"Accept": "text/html"}).text
        head = page.partition("</head>")[0]
        assert "\u202e" not in head
        assert words in head, "it is still said, and still text"


def test_what_is_quarantined_leaves_every_feed(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    moda = api.sign_up("moda")
    path = "/api/v1/packages/alice/small-sums/releases/1.0.0/quarantine"
    assert moda.post(path, json={"reason": "malware"}).status_code == 200
    assert titles(api, "/feeds/releases.atom") == []


@pytest.mark.parametrize("owner", ["\x01", "\x00", "\uffff", "<a>&", "\ud7ff", "é"])
def test_an_address_of_odd_characters_is_no_broken_feed(api: Api, owner: str) -> None:
    assert titles(api, f"/feeds/owners/{quote(owner)}.atom") == []

"""The first page of a package."""

from functools import partial
from typing import Any

from sqlalchemy import event, text

from hub_server.database import visibility
from hub_server.kernel.services import Services
from hub_server.site.drawing.download_bars import download_bars
from tests.hub_server.site.conftest import Browser
from tests.making.counted_calls import count_calls
from tests.making.hub import Api, make_package
from tests.making.wheel import MANIFEST, METADATA

PACKAGE = "/packages/alice/small-sums"
RELEASE = f"{PACKAGE}/releases/1.1.0"
WHEEL = "/api/v1/packages/alice/small-sums/releases/1.1.0/wheel"


def test_the_package_page_shows_vector_rates_and_a_harmless_readme(reader: Browser, catalogue: Api) -> None:
    page = reader.get(PACKAGE)
    assert "verihub pull alice/small-sums@1.1.0" in page.text
    assert "Measured by this hub on" in page.text
    assert "zeroes the sum" in page.text
    assert not [a for a in page.all("script") if "src" not in a]
    assert [a for a in page.all("a") if a["href"] == f"{RELEASE}/code/src/alice_small_sums/__init__.py"]


def test_a_yanked_release_says_why_and_what_to_use(reader: Browser, catalogue: Api) -> None:
    catalogue.post("/api/v1/packages/alice/small-sums/releases/1.1.0/yank", json={"reason": "It accepts nan."})
    page = reader.get(RELEASE)
    assert "Release 1.1.0 was yanked by alice on " in page.text
    assert "It accepts nan." in page.text
    assert f"{PACKAGE}/releases/1.0.0" in page.html
    assert "1.0.0" in reader.get(PACKAGE).text


def test_downloads_are_drawn_by_day(reader: Browser, catalogue: Api, services: Services) -> None:
    assert "By day, the last 30 days" not in reader.get("/packages/alice/small-sums").text
    for days, times in ((0, 1), (3, 2), (25, 3)):
        services.clock.advance(86_400 * days)
        for _ in range(times):
            assert catalogue.get(WHEEL).status_code == 200
            services.clock.advance(301)  # sooner it would count as the same download
    services.clock.advance(86_400 * 3)
    page = reader.get("/packages/alice/small-sums")
    labels = [one["aria-label"].replace("\u00a0", " ") for one in page.all("svg") if one.get("aria-label")]
    assert "5 downloads in the last 30 days, at most 3 downloads on one" in labels, "the first was 31 days ago"
    assert "Downloads 6" in page.text


def test_no_download_is_no_bar() -> None:
    drawn = str(download_bars([0] * 30))
    assert "<rect" not in drawn
    assert "0\u00a0downloads in the last 30\u00a0days" in drawn


def test_a_verifier_that_asks_a_model_says_which_and_by_what_prompt(reader: Browser, catalogue: Api) -> None:
    assert "Asks a model" not in reader.get(PACKAGE).text
    asking = '[model]\nname = "qwen"\ncalls = 2\n[model.prompts.point]\nuser = "<b>Good?</b> {response}"\n'
    wheel = make_package(version="1.2.0", manifest=MANIFEST + asking)
    assert catalogue.publish(wheel).status_code == 201
    page = reader.get(f"{PACKAGE}/releases/1.2.0")
    said = page.text.replace("\u00a0", " ")
    assert "Asks a model qwen, 2 model calls a verdict at most" in said
    assert "Prompt point" in said
    assert "<b>Good?</b>" not in page.html


def test_a_release_says_which_entry_of_the_journal_names_it(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages/alice/small-sums")
    (link,) = [a["href"] for a in page.all("a") if a.get("href", "").startswith("/api/v1/journal/releases/alice/")]
    assert "Journal entry" in page.text
    assert catalogue.get(link).json()["envelope"]["payloadType"] == "application/vnd.in-toto+json"


def test_a_private_release_is_in_no_journal(reader: Browser, alice: Api) -> None:
    alice.post("/api/v1/packages?visibility=private", content=make_package("alice/secret"))
    assert "/api/v1/journal" not in alice.get("/packages/alice/secret").text


def test_it_asks_the_database_as_often_whatever_the_package_has_and_asks_nothing_twice(
    reader: Browser, catalogue: Api, services: Services
) -> None:
    """It loaded the hundred highest releases to show one, and found its package seven times."""
    costs = []
    for version in ("1.2.0", "1.3.0"):
        assert catalogue.publish(make_package("alice/small-sums", version=version)).status_code == 201
        reader.get(PACKAGE)  # the search index has caught up
        sent: list[str] = []
        note = partial(_note, sent)
        event.listen(services.database.engine, "before_cursor_execute", note)
        try:
            assert version in reader.get(f"{PACKAGE}/releases/{version}").text
        finally:
            event.remove(services.database.engine, "before_cursor_execute", note)
        of_packages = [one for one in sent if "FROM packages" in one and "packages.summary" in one]
        assert not [one for one in sent if one.startswith("SELECT packages.owner")], "its row says it"
        assert len(of_packages) <= 2, "the package, and those that are similar"
        costs.append(len(sent))
    assert costs[0] == costs[1] <= 20


def _note(sent: list[str], _connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
    sent.append(statement)


def test_an_address_without_a_package_leads_to_those_with_a_name_near_it(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages/alice/smal-sums")
    assert page.status == 404
    [search] = [link for link in page.links if "q=" in link]
    assert search.endswith("/packages?q=alice%2Fsmal-sums")
    assert [link for link in reader.get(search).links if link.endswith(PACKAGE)]
    for below in ("/packages/alice/smal-sums/tasks", "/packages/alice/smal-sums/releases/1.0.0/tasks/x/y"):
        assert search in reader.get(below).links, "also an address that no page has"
    elsewhere = reader.get("/no/such/page")
    assert not [link for link in elsewhere.links if "q=" in link]
    odd = reader.get("/packages/al%22%3E%3Cscript%3E/x%26y")
    assert "<script>" not in odd.html


FACTS = """\
Author: Ada <script>
Author-email: Bo Berg <bo@example.org>, only@example.org
Project-URL: Source, https://github.example/ada/sums
Project-URL: Bad, javascript:alert(1)
"""
CHANGELOG = "# Changelog\n\n## 1.2.0\n\n### Fixed\n\n- <b>nan</b> is refused\n\n## 1.1.0\n\n- older\n"


def _publish_with_facts(hub: Api) -> None:
    metadata = METADATA.replace("License-Expression", f"{FACTS}License-Expression")
    licence = {"alice_small_sums-1.2.0.dist-info/licenses/LICENSE": "Apache"}
    wheel = make_package(version="1.2.0", metadata=metadata, package_files={"CHANGELOG.md": CHANGELOG}, extra=licence)
    assert hub.publish(wheel).status_code == 201


def test_a_package_shows_its_links_authors_licence_and_what_changed(reader: Browser, catalogue: Api) -> None:
    _publish_with_facts(catalogue)
    page = reader.get(f"{PACKAGE}/releases/1.2.0")
    assert "Authors Ada <script>, Bo Berg" in page.text
    (source,) = page.all("a", href="https://github.example/ada/sums")
    assert {"nofollow", "ugc", "noopener"} <= set(source["rel"].split())
    assert "github.example" in page.text
    assert "javascript:" not in page.html
    assert "example.org" not in page.html
    assert page.all("a", href=f"{PACKAGE}/releases/1.2.0/code/alice_small_sums-1.2.0.dist-info/licenses/LICENSE")
    assert "What 1.2.0 changed" in page.text
    assert "<b>nan</b> is refused" in page.text
    assert "older" not in page.text
    by_version = reader.get(f"{PACKAGE}/releases")
    assert "<b>nan</b> is refused" in by_version.text
    assert by_version.all("article", id="notes-1.2.0")
    assert not by_version.all("article", id="notes-1.1.0"), "a release is described by its own changelog"


def test_a_page_of_releases_shows_as_much_of_changelogs_as_of_one_readme(reader: Browser, alice: Api) -> None:
    for number in range(8):
        text = f"# 1.{number}.0\n" + f"word{number} " * 1600
        wheel = make_package("alice/wordy", f"1.{number}.0", package_files={"CHANGELOG.md": text})
        assert alice.publish(wheel).status_code == 201
    page = reader.get("/packages/alice/wordy/releases")
    shown = [number for number in range(8) if f"word{number} word{number}" in page.html]
    assert shown == [2, 3, 4, 5, 6, 7], "the newest, in 60,000 characters"
    assert "/packages/alice/wordy/releases/1.0.0#changes" in page.html


def test_the_api_has_the_same_and_a_list_of_releases_no_notes(catalogue: Api) -> None:
    _publish_with_facts(catalogue)
    one = catalogue.get(f"/api/v1{PACKAGE}/releases/1.2.0").json()
    assert one["authors"] == ["Ada <script>", "Bo Berg"]
    assert one["links"] == [{"label": "Source", "url": "https://github.example/ada/sums"}]
    assert one["notes"].startswith("### Fixed")
    newest, older = catalogue.get(f"/api/v1{PACKAGE}/releases").json()["items"][:2]
    assert newest["links"] == one["links"]
    assert (newest["notes"], older["links"], older["authors"]) == ("", [], [])


def test_a_release_from_before_they_were_read_has_none(reader: Browser, catalogue: Api, services: Services) -> None:
    with services.database.writing() as session:
        session.execute(text("UPDATE releases SET authors = NULL, links = NULL"))
    page = reader.get(PACKAGE)
    assert page.status == 200
    assert "Author" not in page.text
    assert catalogue.get(f"/api/v1{PACKAGE}/releases/1.1.0").json()["links"] == []


def test_what_is_taken_down_says_nothing_more(reader: Browser, catalogue: Api) -> None:
    _publish_with_facts(catalogue)
    mod = catalogue.sign_up("moda")
    answer = mod.post(f"/api/v1{PACKAGE}/releases/1.2.0/takedown", json={"reason": "It is not theirs."})
    assert answer.status_code < 300, answer.text
    said = catalogue.get(f"/api/v1{PACKAGE}/releases/1.2.0").json()
    assert (said["authors"], said["links"], said["notes"]) == ([], [], "")


def test_a_page_that_is_asked_for_again_makes_no_statement_anew(reader: Browser, catalogue: Api) -> None:
    """Thirteen statements, each made and looked through for each visitor, were a third of the page's CPU."""
    reader.get(PACKAGE)
    with count_calls(visibility, "_seen_by") as looks:
        assert reader.get(PACKAGE).status == 200
    assert looks == [0]


def test_a_measured_release_is_shown_without_a_look_at_all_others(
    reader: Browser, catalogue: Api, services: Services
) -> None:
    """Whether a later one is out was found in whole rows of all of them: 3 ms of CPU for 79 releases."""
    sent: list[str] = []
    note = partial(_note, sent)
    event.listen(services.database.engine, "before_cursor_execute", note)
    try:
        assert "Measured by this hub on" in reader.get(PACKAGE).text
    finally:
        event.remove(services.database.engine, "before_cursor_execute", note)
    assert len([one for one in sent if "releases.manifest" in one]) == 1


def _note(sent: list[str], _connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
    sent.append(statement)

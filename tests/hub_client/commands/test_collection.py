"""``verihub collection``: what is sent for what was typed, and what is said before anything is asked."""

import json

import httpx
import pytest

from tests.making.scripted_hub import card_of, problem

PATH = "/collections/alice/sums"
FOUND = {
    "id": "alice/sums", "title": "Sums", "visibility": "public", "entry_count": 2, "created_at": "2026-11-25T00:00:00Z",
    "updated_at": "2026-11-25T00:00:00Z", "owner": "alice", "text": "Begin here.", "revision": 3,
    "entries": [
        {"package": "alice/short", "version": None, "note": "First.", "card": card_of("alice/short").model_dump(mode="json")},
        {"package": "alice/long", "version": "1.0.0", "note": ""},
    ],
}  # fmt: skip


@pytest.fixture
def hub(scripted):
    scripted.on("GET", PATH, FOUND)
    scripted.on("PUT", PATH, FOUND)
    return scripted


def sent(scripted) -> dict:
    return json.loads(scripted.bodies[-1])


def test_it_is_shown_with_its_notes_and_what_is_away(verihub, hub) -> None:
    said = verihub("collection", "show", "alice/sums")
    assert said.code == 0
    assert "alice/sums: Sums (2 packages)" in said.out
    assert "First." in said.out
    assert "alice/long@1.0.0  (not available on this hub now)" in said.out
    assert verihub("-q", "collection", "show", "alice/sums").out.split() == ["alice/short", "alice/long@1.0.0"]


def test_the_list_is_asked_for_with_its_filters(verihub, scripted) -> None:
    summary = {name: FOUND[name] for name in ("id", "title", "visibility", "entry_count", "created_at", "updated_at")}
    seen = []
    answer = httpx.Response(200, json={"items": [summary], "next": None})
    scripted.on("GET", "/collections", lambda request: seen.append(str(request.url.query, "ascii")) or answer)
    said = verihub("collection", "list", "sums", "--owner", "alice", "--package", "alice/short")
    assert (said.code, "alice/sums" in said.out) == (0, True)
    assert seen == ["q=sums&owner=alice&package=alice%2Fshort&limit=20"]


def test_a_package_is_added_its_note_changed_and_removed_with_the_revision_that_was_read(verihub, hub) -> None:
    assert verihub("collection", "add", "alice/sums", "alice/new@2.0", "--note", "Third.").code == 0
    body = sent(hub)
    assert body["revision"] == 3
    assert [entry["package"] for entry in body["entries"]] == ["alice/short", "alice/long", "alice/new"]
    assert body["entries"][2] == {"package": "alice/new", "version": "2.0", "note": "Third."}
    verihub("collection", "add", "alice/sums", "alice/short", "--note", "Better.")
    assert [entry["note"] for entry in sent(hub)["entries"]] == ["Better.", ""]
    verihub("collection", "remove", "alice/sums", "alice/long@1.0.0")
    assert [entry["package"] for entry in sent(hub)["entries"]] == ["alice/short"]


def test_what_is_not_in_it_cannot_be_removed(verihub, hub) -> None:
    said = verihub("collection", "remove", "alice/sums", "alice/long")
    assert (said.code, "it holds alice/short, alice/long@1.0.0" in said.err) == (2, True)
    assert not [asked for asked in hub.asked if asked.startswith("PUT")]


def test_one_that_is_not_there_is_begun_by_a_title(verihub, hub) -> None:
    hub.on("GET", PATH, problem(404, "collection_not_found", "There is no collection alice/sums on this hub."))
    said = verihub("collection", "add", "alice/sums", "alice/short")
    assert (said.code, "--title TITLE makes it" in said.err) == (4, True)
    assert verihub("collection", "add", "alice/sums", "alice/short", "--title", "Sums").code == 0
    assert (sent(hub)["title"], sent(hub)["revision"]) == ("Sums", 0)


def test_a_file_is_written_and_published_as_it_was_read(verihub, hub, tmp_path) -> None:
    file = tmp_path / "sums.toml"
    assert verihub("collection", "show", "alice/sums", "--toml", file).code == 0
    said = verihub("collection", "publish", file)
    assert (said.code, "http://hub.example/collections/alice/sums" in said.out) == (0, True)
    body = sent(hub)
    assert (body["title"], body["text"], body["revision"]) == ("Sums", "Begin here.", 3)
    assert [(entry["package"], entry.get("version")) for entry in body["entries"]] == [
        ("alice/short", None),
        ("alice/long", "1.0.0"),
    ]


def test_who_was_slower_gets_the_exit_code_of_a_conflict(verihub, hub) -> None:
    hub.on("PUT", PATH, problem(409, "collection_changed", "alice/sums has revision 4 by now (by bob)"))
    said = verihub("collection", "add", "alice/sums", "alice/new")
    assert (said.code, "revision 4 by now" in said.err) == (5, True)


def test_it_is_deleted_by_who_is_sure(verihub, hub) -> None:
    hub.on("DELETE", PATH, httpx.Response(204))
    assert verihub("collection", "delete", "alice/sums", "--yes").code == 0
    assert hub.asked[-1] == f"DELETE {PATH}"


@pytest.mark.parametrize(
    "arguments",
    [["show", "nonsense"], ["add", "alice/sums", "alice/x@>=1"], ["add", "alice/sums", "x"], ["delete", "Alice/x", "--yes"],
     ["add", "alice/sums", "alice/x", "--note", "x" * 501], ["publish", "/nonexistent.toml"]],
)  # fmt: skip
def test_what_makes_no_sense_is_said_before_anything_is_asked(verihub, scripted, arguments) -> None:
    said = verihub("collection", *arguments)
    assert said.code == 2, said.err
    assert scripted.asked == []

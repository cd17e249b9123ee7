"""Writing a collection in a browser without script."""

import pytest

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

SUMS = "alice/small-sums"
FORM = {
    "id": "jun/begin",
    "title": "Where to begin",
    "text": "One.\r\nTwo.",
    "entries": f"{SUMS} Short.\r\n\r\n{SUMS}@1.0.0",
}


@pytest.fixture
def jun(reader: Browser, catalogue: Api) -> Browser:
    reader.sign_up("jun")
    return reader


def fields(page) -> dict[str, str]:
    """The values of a form as a browser would send them back."""
    typed = {
        a["name"]: a.get("value", "") for a in page.all("input") if a.get("name") not in (None, "q", "sure", "back")
    }
    return {**{name: value for name, value in typed.items() if name != "is_private"}, "entries": "", "text": ""}


def test_a_collection_is_written_changed_and_deleted(jun: Browser) -> None:
    assert jun.get(f"/collections/new?package={SUMS}").html.count(SUMS) >= 1
    made = jun.post("/collections", FORM)
    assert (made.status, "Where to begin" in made.text, "Short." in made.text) == (200, True, True)
    edit = jun.get("/collections/jun/begin/edit")
    assert f"{SUMS} Short." in edit.html
    assert f"{SUMS}@1.0.0" in edit.html
    sent = {**fields(edit), "text": "Other.", "entries": f"{SUMS}@1.0.0 Only this."}
    changed = jun.post("/collections", sent)
    assert ("Other." in changed.text, "Only this." in changed.text, "Short." in changed.text) == (True, True, False)
    late = jun.post("/collections", {**sent, "title": "Late"})
    assert (late.status, "revision 2 by now" in late.text, 'value="Late"' in late.html) == (409, True, True)
    assert jun.post("/collections/jun/begin/delete", {}).status == 422, "nobody was sure"
    assert jun.get("/collections/jun/begin").status == 200
    assert jun.post("/collections/jun/begin/delete", {"sure": "yes"}).status == 200
    assert jun.get("/collections/jun/begin").status == 404


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"title": " "}, 422, "Some fields are not right yet"),
        ({"entries": "no package"}, 422, "is not owner/name"),
        ({"entries": f"{SUMS} {'x' * 501}"}, 422, "500"),
        ({"entries": f"{SUMS} a\n{SUMS} b"}, 422, "stands in the list twice"),
        ({"entries": f"{SUMS}@9.9"}, 404, "has no release 9.9"),
        ({"id": "alice/begin"}, 403, "neither your account"),
        ({"id": "nonsense"}, 403, "neither your account"),
        ({"id": "jun/No Name"}, 422, "is not owner/name"),
    ],
)
def test_a_refusal_keeps_what_was_typed(jun: Browser, change: dict[str, str], status: int, said: str) -> None:
    page = jun.post("/collections", FORM | change)
    assert (page.status, said in page.text, "One." in page.html) == (status, True, True), page.text
    assert "No collection yet" in jun.get("/collections").text


def test_a_new_one_does_not_overwrite_one_that_there_is(jun: Browser) -> None:
    jun.post("/collections", FORM)
    page = jun.post("/collections", FORM | {"title": "Another"})
    assert (page.status, "already" in page.text) == (409, True)


def test_without_an_account_the_words_are_kept(reader: Browser, catalogue: Api) -> None:
    page = reader.post("/collections", FORM)
    assert (page.status, "Where to begin" in page.html, "You are not signed in" in page.text) == (401, True, True)
    assert reader.get("/collections/alice/none/edit").status == 401


def test_a_private_one_is_seen_by_its_owner_alone_until_it_is_public_for_good(jun: Browser, app) -> None:
    jun.post("/collections", FORM | {"is_private": "true"})
    stranger = Browser(app)
    assert "private" in jun.get("/collections/jun/begin").text
    assert stranger.get("/collections/jun/begin").status == 404
    assert "Where to begin" not in stranger.get(f"/packages/{SUMS}").text
    edit = jun.get("/collections/jun/begin/edit")
    assert edit.all("input", name="is_private", value="true")
    jun.post("/collections", fields(edit))
    assert stranger.get("/collections/jun/begin").status == 200
    assert not jun.get("/collections/jun/begin/edit").all("input", name="is_private")


def test_a_moderator_hides_it_from_its_page(jun: Browser, app) -> None:
    jun.post("/collections", FORM)
    assert not jun.get("/collections/jun/begin").all("form", action="/collections/jun/begin/hide")
    moderator = Browser(app)
    moderator.sign_up("moda")
    moderator.post("/collections/jun/begin/hide", {"reason": "Advertising."})
    assert jun.get("/collections/jun/begin").status == 410
    assert "Moderators hide this collection." in moderator.get("/collections/jun/begin").text
    assert "hid the collection jun/begin" in jun.get("/moderation").text
    moderator.post("/collections/jun/begin/hide", {"reason": "Mended.", "act": "end"})
    assert jun.get("/collections/jun/begin").status == 200

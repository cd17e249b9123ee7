"""Writing in discussions in a browser without script."""

import pytest

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

ALL = "/packages/alice/small-sums/discussions"
FORM = {"title": "How is it meant?", "text": "Is *4* right?\r\nOr 5?"}


@pytest.fixture
def jun(reader: Browser, catalogue: Api) -> Browser:
    reader.sign_up("jun")
    return reader


def begin(who: Browser, **more: str) -> str:
    page = who.post(ALL, FORM | more)
    assert page.status == 200, page.text
    return page.url.removeprefix("http://hub.test")


def test_it_is_begun_answered_edited_and_deleted(jun: Browser) -> None:
    assert jun.get(f"{ALL}/new").all("textarea", name="text")
    url = begin(jun)
    page = jun.post(f"{url}/posts", {"text": "Somebody?"})
    assert (
        page.status,
        "Somebody?" in page.text,
        "1 reply" in page.text.replace("\N{NARROW NO-BREAK SPACE}", " "),
    ) == (200, True, True)
    edit = jun.get(f"{url}/posts/1/edit")
    assert (edit.all("input", name="title")[0]["value"], "Or 5?" in edit.html) == ("How is it meant?", True)
    assert not jun.get(f"{url}/posts/2/edit").all("input", name="title")
    changed = jun.post(f"{url}/posts/1", {"title": "And six?", "text": "Is 6 right?"})
    assert ("And six?" in changed.text, "edited" in changed.text) == (True, True)
    assert jun.post(f"{url}/posts/2", {"text": "Nobody."}).status == 200
    assert jun.post(f"{url}/posts/2/delete", {}).status == 422, "nobody was sure"
    gone = jun.post(f"{url}/posts/2/delete", {"sure": "yes"})
    assert ("Nobody." in gone.text, "Deleted." in gone.text) == (False, True)


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"title": " "}, 422, "Some fields are not right yet"),
        ({"text": " "}, 422, "Some fields are not right yet"),
        ({"text": "x" * 8001}, 422, "at most 8000"),
        ({"case": "nope"}, 404, "has no counter-example"),
    ],
)
def test_a_refusal_keeps_what_was_typed(jun: Browser, change: dict[str, str], status: int, said: str) -> None:
    page = jun.post(ALL, FORM | change)
    assert (page.status, said in page.text) == (status, True), page.text
    assert (FORM | change)["title"] in page.html
    assert "Nobody has begun a discussion" in jun.get(ALL).text


def test_a_refused_reply_or_edit_is_kept_too(jun: Browser) -> None:
    url = begin(jun)
    jun.post(f"{url}/state", {"act": "close", "reason": "Clear now."})
    page = jun.post(f"{url}/posts", {"text": "One more thing"})
    assert (page.status, "One more thing" in page.html, "closed this discussion" in page.text) == (409, True, True)
    edit = jun.post(f"{url}/posts/1", {"title": "", "text": "Kept words"})
    assert (edit.status, "Kept words" in edit.html) == (422, True)


def test_without_an_account_the_words_are_kept(jun: Browser, app) -> None:
    url = begin(jun)
    stranger = Browser(app)
    page = stranger.post(ALL, FORM)
    assert (page.status, "Or 5?" in page.html, "You are not signed in" in page.text) == (401, True, True)
    reply = stranger.post(f"{url}/posts", {"text": "Kept words"})
    assert (reply.status, "Kept words" in reply.html) == (401, True)
    assert stranger.get(f"{url}/posts/1/edit").status == 401


@pytest.mark.parametrize("path", ["/new", "/nope", "/nope/posts/1/edit", "/nope/posts/x/edit"])
def test_what_is_not_there_is_said(jun: Browser, path: str) -> None:
    assert jun.get(ALL + path).status == (200 if path == "/new" else 422 if "/x/" in path else 404)
    assert jun.get(f"/packages/alice/none/discussions{path}").status in (404, 422)

"""``verihub discuss``: what is sent for what was typed, and what is printed of what strangers wrote."""

import json

import httpx
import pytest

ALL = "/packages/alice/sums/discussions"
ONE = {
    "id": "d1", "package": "alice/sums", "case": None, "title": "Units", "author": "bob", "reply_count": 2,
    "opened_at": "2026-11-25T00:00:00Z", "last_post_at": "2026-11-25T00:00:00Z", "is_open": True,
}  # fmt: skip
POSTS = [
    {"number": 1, "author": "bob", "text": "Is \x1b[31m4\x07 right?\nOr 5?", "posted_at": "2026-11-25T00:00:00Z"},
    {"number": 2, "author": "eve", "text": "", "posted_at": "2026-11-25T00:00:00Z", "hidden_reason": "spam"},
    {"number": 3, "author": "eve", "text": "", "posted_at": "2026-11-25T00:00:00Z", "is_deleted": True},
]


@pytest.fixture
def hub(scripted):
    scripted.on("GET", ALL, {"items": [ONE, {**ONE, "id": "d2", "is_open": False, "title": ""}], "next": None})
    scripted.on("GET", f"{ALL}/d1", {**ONE, "posts": POSTS, "next": 3})
    scripted.on("POST", ALL, {**ONE, "posts": POSTS[:1]})
    scripted.on("POST", f"{ALL}/d1/posts", POSTS[0])
    scripted.on(
        "POST", f"{ALL}/d1/close", {**ONE, "is_open": False, "closed_by": "alice", "closed_reason": "Answered."}
    )
    scripted.on("POST", f"{ALL}/d1/reopen", ONE)
    return scripted


def test_they_are_listed_and_one_is_shown(verihub, hub) -> None:
    said = verihub("discuss", "list", "alice/sums")
    assert (said.code, "Units" in said.out, "closed" in said.out) == (0, True, True)
    assert verihub("-q", "discuss", "list", "alice/sums").out.split() == ["d1", "d2"]
    said = verihub("discuss", "show", "alice/sums", "d1")
    assert "d1: Units (open, 2 replies)" in said.out
    assert "   Or 5?" in said.out
    assert "(not shown: spam)" in said.out
    assert "(deleted)" in said.out
    assert "more: --after 3" in said.out
    assert "\x1b" not in said.out + verihub("--json", "discuss", "show", "alice/sums", "d1").out
    assert "\x07" not in said.out


def test_one_is_begun_answered_and_closed(verihub, hub, typed) -> None:
    typed("From\nstdin\n")
    said = verihub("discuss", "open", "alice/sums", "--title", " Units ", "--text", "-")
    assert (said.code, "/packages/alice/sums/discussions/d1" in said.out) == (0, True)
    assert json.loads(hub.bodies[-1]) == {"title": "Units", "text": "From\nstdin"}
    assert verihub("discuss", "reply", "alice/sums", "d1", "--text", "Yes.").code == 0
    assert json.loads(hub.bodies[-1]) == {"text": "Yes."}
    assert (
        "(closed by alice, 'Answered.', 2 replies)"
        in verihub("discuss", "close", "alice/sums", "d1", "--reason", "Answered.").out
    )
    assert json.loads(hub.bodies[-1]) == {"reason": "Answered."}
    assert "(open" in verihub("discuss", "close", "alice/sums", "d1", "--reopen").out


@pytest.mark.parametrize(
    "words",
    [
        ("open", "alice/sums", "--title", "t", "--text", " "),
        ("open", "alice/sums", "--title", "", "--text", "t"),
        ("reply", "alice/sums", "d1", "--text", "x" * 8001),
        ("list", "no package"),
        ("list", "alice/sums", "--state", "shut"),
    ],
)
def test_what_the_hub_would_refuse_is_refused_before_anything_is_sent(verihub, hub, words) -> None:
    said = verihub("discuss", *words)
    assert (said.code, hub.asked) == (2, []), said.err


def test_a_post_is_changed_deleted_hidden_and_a_discussion_followed(verihub, hub) -> None:
    one = f"{ALL}/d1/posts/3"
    for method, path, answer in (
        ("PUT", one, POSTS[0]), ("DELETE", one, httpx.Response(204)), ("POST", f"{one}/hide", POSTS[1]),
        ("POST", f"{one}/show", POSTS[0]), ("PUT", f"{ALL}/d1/follow", httpx.Response(204)),
        ("DELETE", f"{ALL}/d1/follow", httpx.Response(204)),
    ):  # fmt: skip
        hub.on(method, path, answer)
    post = ("alice/sums", "d1", "3")
    assert verihub("discuss", "edit", *post, "--text", "No.").code == 0
    assert json.loads(hub.bodies[-1]) == {"text": "No."}
    assert verihub("discuss", "delete", *post, "--yes").out.strip() == "post 3 is deleted"
    assert verihub("discuss", "hide", *post, "--reason", "Spam.").out.strip() == "post 3 is hidden"
    assert json.loads(hub.bodies[-1]) == {"reason": "Spam."}
    assert "shown again" in verihub("discuss", "hide", *post, "--show", "--reason", "It was none.").out
    assert verihub("discuss", "follow", "alice/sums", "d1").out.strip() == "you follow d1"
    assert verihub("discuss", "follow", "alice/sums", "d1", "--stop").out.strip() == "you follow d1 no more"
    assert hub.asked[-6:] == [
        f"PUT {one}", f"DELETE {one}", f"POST {one}/hide", f"POST {one}/show",
        f"PUT {ALL}/d1/follow", f"DELETE {ALL}/d1/follow",
    ]  # fmt: skip


def test_nothing_is_deleted_without_a_yes_and_no_post_has_the_number_0(verihub, hub, typed) -> None:
    typed("")
    assert verihub("discuss", "delete", "alice/sums", "d1", "3").code == 2
    assert verihub("discuss", "edit", "alice/sums", "d1", "0", "--text", "t").code == 2
    assert verihub("discuss", "hide", "alice/sums", "d1", "3").code == 2, "a moderator says why"
    assert hub.asked == []


def test_at_a_live_hub_a_post_is_changed_and_deleted_and_a_discussion_followed(verihub, measured) -> None:
    opened = verihub("-q", "discuss", "open", "reader/letters", "--title", "Units", "--text", "Are they needed?")
    assert opened.code == 0, opened.err
    which = ("reader/letters", opened.out.strip())
    assert verihub("discuss", "reply", *which, "--text", "No.").code == 0
    assert verihub("discuss", "edit", *which, "2", "--text", "Only where asked.").code == 0
    assert "Only where asked." in verihub("discuss", "show", *which).out
    assert verihub("discuss", "follow", *which, "--stop").code == 0
    assert verihub("discuss", "follow", *which).code == 0
    assert verihub("discuss", "delete", *which, "2", "--yes").code == 0
    assert "(deleted)" in verihub("discuss", "show", *which).out
    assert verihub("discuss", "edit", *which, "2", "--text", "Again.").code != 0, "what is deleted is gone"
    assert verihub("discuss", "hide", *which, "1", "--reason", "mine").code == 9, "only moderators hide"

"""What may be written in a discussion."""

import pytest
from pydantic import ValidationError

from schemas.discussions import MOST_POST_CHARACTERS, Discussion, DiscussionCreate, PostWrite


def test_white_space_around_is_not_kept() -> None:
    made = DiscussionCreate(title="  Why? ", text="\n Because. \n")
    assert (made.title, made.text, made.case) == ("Why?", "Because.", None)


@pytest.mark.parametrize("text", ["", " \n\t", "x" * (MOST_POST_CHARACTERS + 1)])
def test_a_post_says_something_and_not_too_much(text: str) -> None:
    with pytest.raises(ValidationError):
        PostWrite(text=text)


@pytest.mark.parametrize("title", ["", "two\nlines", "a\x00b", "x" * 121])
def test_a_title_is_one_line(title: str) -> None:
    with pytest.raises(ValidationError):
        PostWrite(text="t", title=title)


ONE = {
    "id": "d1", "package": "alice/sums", "title": "Units", "author": "bob", "opened_at": "2026-11-25T00:00:00Z",
    "last_post_at": "2026-11-25T00:00:00Z", "reply_count": 0, "is_open": True, "posts": [],
}  # fmt: skip


def test_what_a_later_hub_adds_is_passed_over_and_what_it_leaves_out_has_a_default() -> None:
    read = Discussion.read(ONE | {"mood": "calm", "posts": [
        {"number": 1, "author": "bob", "text": "x", "posted_at": "2026-11-25T00:00:00Z", "likes": 3}
    ]})  # fmt: skip
    assert (read.case, read.closed_by, read.is_private, read.hidden_reason, read.next) == (None, "", False, None, None)
    assert (read.posts[0].edited_at, read.posts[0].is_deleted) == (None, False)
    assert Discussion.read(read.model_dump(mode="json")) == read


def test_a_writer_is_held_to_the_fields_that_there_are() -> None:
    for odd in ({"author": "alice"}, {"is_open": False}, {"case": ""}, {"case": "x" * 65}):
        with pytest.raises(ValidationError):
            DiscussionCreate(title="t", text="x", **odd)


def test_a_title_of_a_row_of_another_time_is_read_as_it_is() -> None:
    """What is written is checked; what is read breaks no list."""
    assert Discussion.read(ONE | {"title": "two\nlines" + "x" * 500}).title.startswith("two")

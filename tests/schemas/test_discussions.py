"""What may be written in a discussion."""

import pytest
from pydantic import ValidationError

from schemas.discussions import MOST_POST_CHARACTERS, DiscussionCreate, PostWrite


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

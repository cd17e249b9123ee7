"""Who may close a discussion, and who opens it again."""

import pytest

from hub_server.discussions.rules import Right, right_used

AUTHOR, OWNER, MODERATOR = Right


@pytest.mark.parametrize(
    ("mine", "closed_as", "used"),
    [
        (set(), "", None),
        ({AUTHOR}, "", AUTHOR),
        ({MODERATOR}, "", MODERATOR),
        ({MODERATOR, OWNER}, "", OWNER),
        ({AUTHOR}, "author", AUTHOR),
        ({OWNER}, "author", OWNER),
        ({AUTHOR}, "owner", None),
        ({AUTHOR, MODERATOR}, "owner", MODERATOR),
        ({AUTHOR, OWNER}, "moderator", None),
        ({MODERATOR}, "moderator", MODERATOR),
        ({AUTHOR, OWNER}, "what a later hub calls it", None),
        ({MODERATOR}, "what a later hub calls it", MODERATOR),
    ],
)
def test_the_least_right_that_is_enough_is_used(mine: set[Right], closed_as: str, used: Right | None) -> None:
    assert right_used(mine, closed_as) is used

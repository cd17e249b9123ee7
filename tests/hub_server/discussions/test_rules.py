"""Who may close a discussion, and who opens it again."""

import pytest

from hub_server.discussions.rules import Standing, standing_used

AUTHOR, OWNER, MODERATOR = Standing


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
        ({AUTHOR}, "what a later hub calls it", AUTHOR),
    ],
)
def test_the_least_standing_that_is_enough_is_used(mine: set[Standing], closed_as: str, used: Standing | None) -> None:
    assert standing_used(mine, closed_as) is used

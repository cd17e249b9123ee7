"""Why something about a discussion is refused."""

from hub_server.errors import ConflictError, NotFoundError, TooManyRequestsError
from schemas.problem import ProblemCode


class DiscussionNotFoundError(NotFoundError):
    """The package has no such discussion or post, or not for this account."""

    code = ProblemCode.DISCUSSION_NOT_FOUND
    title = "No such discussion"


class DiscussionClosedError(ConflictError):
    """Nothing is added to the discussion, or it stands already as it is asked to."""

    code = ProblemCode.DISCUSSION_CLOSED
    title = "The discussion stands otherwise"


class TooManyPostsError(TooManyRequestsError):
    """The account has written as much today as one account may."""

    title = "Too many posts"

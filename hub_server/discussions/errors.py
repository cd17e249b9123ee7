"""Why something about a discussion is refused."""

from hub_server.errors import ConflictError, NotFoundError, TooManyRequestsError
from schemas.problem import ProblemCode


class DiscussionNotFoundError(NotFoundError):
    """The package has no such discussion or post, or this account may not see it."""

    code = ProblemCode.DISCUSSION_NOT_FOUND
    title = "No such discussion"


class DiscussionClosedError(ConflictError):
    """The discussion is closed or locked, or it already has the state that is asked for."""

    code = ProblemCode.DISCUSSION_CLOSED
    title = "The discussion is in another state"


class TooManyPostsError(TooManyRequestsError):
    """The account has reached today's limit of posts."""

    title = "Too many posts"

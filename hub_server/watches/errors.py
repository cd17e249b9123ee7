"""Why something about watches is refused."""

from hub_server.errors import InvalidRequestError, NotFoundError
from schemas.problem import ProblemCode


class TooManyWatchesError(InvalidRequestError):
    """The account has reached the limit of watches for one account."""

    code = ProblemCode.WATCH_LIMIT
    title = "Too many watches"


class UnsubscribeLinkError(NotFoundError):
    """The link is that of no account."""

    code = ProblemCode.TOKEN_NOT_FOUND
    title = "No such link"

"""Why the journal refuses."""

from hub_server.errors import InvalidRequestError, NotFoundError, UnavailableError
from schemas.problem import ProblemCode


class EntryNotFoundError(NotFoundError):
    """The journal holds no such entry."""

    code = ProblemCode.RELEASE_NOT_FOUND
    title = "Not in the journal"


class TreeSizeError(InvalidRequestError):
    """The journal is shorter than the request says."""

    title = "Not a size of this journal"


class NothingCopiedError(UnavailableError):
    """A mirror has not copied the journal of the other hub yet."""

    title = "Not copied yet"

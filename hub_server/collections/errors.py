"""Why something about a collection is refused."""

from hub_server.errors import ConflictError, NotFoundError
from schemas.problem import ProblemCode


class CollectionNotFoundError(NotFoundError):
    """No such collection, or not this account's to see."""

    code = ProblemCode.COLLECTION_NOT_FOUND
    title = "No such collection"


class CollectionChangedError(ConflictError):
    """The collection was changed by somebody else since it was read, or cannot become what is asked."""

    code = ProblemCode.COLLECTION_CHANGED
    title = "The collection stands otherwise"

"""Why something about a collection is refused."""

from hub_server.errors import ConflictError, NotFoundError
from schemas.problem import ProblemCode


class CollectionNotFoundError(NotFoundError):
    """There is no such collection, or this account may not see it."""

    code = ProblemCode.COLLECTION_NOT_FOUND
    title = "No such collection"


class CollectionChangedError(ConflictError):
    """Somebody else has changed the collection since it was read, or the change that is asked for is not possible."""

    code = ProblemCode.COLLECTION_CHANGED
    title = "The collection has changed"

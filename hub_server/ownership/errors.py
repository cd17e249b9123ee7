"""Why something about the ownership of a package is refused."""

from hub_server.errors import ConflictError, NotFoundError
from schemas.problem import ProblemCode


class StillUsedError(ConflictError):
    """A release is too old to be deleted, or somebody else has built on it. It can be yanked."""

    code = ProblemCode.STILL_USED
    title = "The release cannot be deleted"


class TransferError(ConflictError):
    """In its present state the package cannot be offered or taken over."""

    code = ProblemCode.TRANSFER
    title = "The package cannot be handed over now"


class TransferNotFoundError(NotFoundError):
    """There is no open offer of this package, or none to this account."""

    code = ProblemCode.TRANSFER_NOT_FOUND
    title = "No such offer"

"""The hub's errors: why a request is refused."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from schemas.problem import ProblemCode, ProblemPart


class HubServerError(Exception):
    """The hub failed by a fault of its own; its log has the cause under the request's id."""

    code: ClassVar[ProblemCode] = ProblemCode.INTERNAL
    status: ClassVar[int] = 500
    title: ClassVar[str] = "The hub failed"
    moved: tuple[str, str] | None = None
    """(what the address names, what it should name instead): whoever only reads is sent there."""

    near: Callable[[], list[str]] | None = None
    """Names that there are, near the one that was asked for: worked out only where the refusal is the answer."""

    def __init__(self, detail: str, *, errors: Sequence[ProblemPart] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = list(errors)


class InvalidRequestError(HubServerError):
    """The request cannot be understood, or breaks a documented rule."""

    code = ProblemCode.INVALID_REQUEST
    status = 422
    title = "The request is not valid"


class UnknownHostError(InvalidRequestError):
    """The request is for a name that is not this hub's."""

    status = 421
    title = "Another name"


class InvalidPackageError(InvalidRequestError):
    """The bytes are not a valid package. ``errors`` has one entry for each problem."""

    code = ProblemCode.INVALID_PACKAGE
    title = "Not a valid package"


class NotAuthenticatedError(HubServerError):
    """Nobody is logged in, or the token is unknown, revoked or expired."""

    code = ProblemCode.NOT_AUTHENTICATED
    status = 401
    title = "Not logged in"


class NotAllowedError(HubServerError):
    """The account that is logged in may not do this, or its token lacks the scope."""

    code = ProblemCode.NOT_ALLOWED
    status = 403
    title = "Not allowed"


class PasswordNeededError(NotAllowedError):
    """The password must be typed again: it was not, or too long ago. No token may do this, whatever its scopes."""

    code = ProblemCode.PASSWORD_NEEDED
    title = "Your password is needed"


class NotFoundError(HubServerError):
    """There is no such thing, or the account may not know of it."""

    code = ProblemCode.PAGE_NOT_FOUND
    status = 404
    title = "Not found"


class ConflictError(HubServerError):
    """The request contradicts what already exists."""

    code = ProblemCode.VERSION_EXISTS
    status = 409
    title = "Conflict"


class IdempotencyConflictError(ConflictError):
    """An Idempotency-Key was used again for another request, or twice at the same moment."""

    code = ProblemCode.IDEMPOTENCY_CONFLICT
    title = "This Idempotency-Key is taken"


class BlobMissingError(HubServerError):
    """The store has no bytes under a digest that a row names: the data folder is damaged or incomplete."""

    code = ProblemCode.BLOB_MISSING
    status = 503
    title = "The bytes are missing"


class GoneError(HubServerError):
    """It existed, but may not be used any more."""

    code = ProblemCode.QUARANTINED
    status = 410
    title = "Gone"


class TooLargeError(HubServerError):
    """The body is larger than the hub accepts."""

    code = ProblemCode.TOO_LARGE
    status = 413
    title = "Too large"


class TooManyRequestsError(HubServerError):
    """The sender has used up its rate limit; ``retry_after_seconds`` says when to try again."""

    code = ProblemCode.TOO_MANY_REQUESTS
    status = 429
    title = "Too many requests"

    def __init__(self, detail: str, *, retry_after_seconds: float) -> None:
        super().__init__(detail)
        self.retry_after_seconds = retry_after_seconds


class UnavailableError(HubServerError):
    """Something that the hub needs is not available. The same request may succeed later."""

    code = ProblemCode.STORAGE_UNAVAILABLE
    status = 503
    title = "Unavailable"


class BusyError(UnavailableError):
    """All slots for this kind of work are taken. The same request may succeed in a moment."""

    code = ProblemCode.BUSY
    title = "The hub is busy"

    def __init__(self, detail: str, *, retry_after_seconds: float) -> None:
        super().__init__(detail)
        self.retry_after_seconds = retry_after_seconds


class ExecutionUnavailableError(UnavailableError):
    """The sandbox cannot run code now (the engine is absent, or no base image)."""

    code = ProblemCode.SANDBOX_UNAVAILABLE
    title = "The sandbox is not available"

    def __init__(self, detail: str, *, retry_after_seconds: float | None = None) -> None:
        """``retry_after_seconds``: None where nothing says that it will be better soon."""
        super().__init__(detail)
        self.retry_after_seconds = retry_after_seconds


class TaskNotMadeError(ExecutionUnavailableError):
    """A generator did not make its task in time: the hub is busy. The same request may succeed in a moment."""

    code = ProblemCode.BUSY
    title = "The hub is busy"


class StorageUnavailableError(UnavailableError):
    """The blob store or the database cannot take or give bytes (disk full, bucket unreachable)."""

    code = ProblemCode.STORAGE_UNAVAILABLE
    title = "Storage is not available"


class MirrorError(HubServerError):
    """The hub is a read-only mirror of another one: whatever writes or runs is done there."""

    code = ProblemCode.MIRROR
    status = 403
    title = "This is a read-only mirror"


class ReadOnlyError(UnavailableError):
    """The operator has made the hub read-only for a while. Reading goes on."""

    code = ProblemCode.READ_ONLY
    title = "The hub is read-only"

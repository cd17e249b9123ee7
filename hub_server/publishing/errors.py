"""Why a publish is refused."""

from hub_server.errors import ConflictError, InvalidRequestError, NotFoundError, TooLargeError, TooManyRequestsError
from schemas.problem import ProblemCode


class VersionExistsError(ConflictError):
    """Other bytes were published as this version, and releases never change."""

    code = ProblemCode.VERSION_EXISTS
    title = "The version exists"


class KindChangedError(ConflictError):
    """A package has one kind for its whole life."""

    code = ProblemCode.KIND_CHANGED
    title = "A package keeps its kind"


class ArchivedError(ConflictError):
    """The owner has archived the package: nothing is published until it is opened again. Its releases stay usable."""

    code = ProblemCode.ARCHIVED
    title = "The package is archived"


class TooManyUploadsError(TooManyRequestsError):
    """The account has reached today's limit of uploads, in number or in bytes."""


class TooManyReleasesError(TooManyRequestsError):
    """The account has reached today's limit of releases."""


class VisibilityError(ConflictError):
    """A package is private or public as a whole. A private one can be made public, a public one never private."""

    code = ProblemCode.VISIBILITY
    title = "The package has another visibility"


class UploadNotFoundError(NotFoundError):
    """A part of the upload has not arrived, or its bytes are gone."""

    code = ProblemCode.UPLOAD_NOT_FOUND
    title = "The upload is incomplete"


class WheelTooLargeError(TooLargeError):
    """The parts together are larger than the largest wheel that this hub accepts."""


class AuthorSignatureError(InvalidRequestError):
    """The signature does not match these bytes, or its key is not registered to the account."""

    code = ProblemCode.AUTHOR_SIGNATURE
    title = "The author's signature is not valid"

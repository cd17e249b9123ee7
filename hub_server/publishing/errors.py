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
    """Its owner publishes no more of the package, until it is opened again. What there is stays usable."""

    code = ProblemCode.ARCHIVED
    title = "The package is archived"


class TooManyUploadsError(TooManyRequestsError):
    """The account has uploaded a day's worth, in number or in bytes."""


class TooManyReleasesError(TooManyRequestsError):
    """The account has published a day's worth."""


class VisibilityError(ConflictError):
    """A package is private or public as a whole. A private one can be made public, a public one never private."""

    code = ProblemCode.VISIBILITY
    title = "The package has another visibility"


class UploadNotFoundError(NotFoundError):
    """A part of the upload has not arrived, or its bytes are gone."""

    code = ProblemCode.UPLOAD_NOT_FOUND
    title = "The upload is not whole"


class WheelTooLargeError(TooLargeError):
    """The parts are together larger than the largest wheel of this hub."""


class AuthorSignatureError(InvalidRequestError):
    """The author's signature is not of these bytes, or not by a key that the account has registered."""

    code = ProblemCode.AUTHOR_SIGNATURE
    title = "The author's signature is not good"

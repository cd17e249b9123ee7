"""Why an identity token is refused."""

from hub_server.errors import NotAuthenticatedError, NotFoundError, UnavailableError
from schemas.problem import ProblemCode


class IdentityRefusedError(NotAuthenticatedError):
    """The identity token is not valid, was used before, or does not belong to a publisher of this package."""

    title = "The identity token is refused"


class PublisherNotFoundError(NotFoundError):
    """The package has no such trusted publisher."""

    code = ProblemCode.TOKEN_NOT_FOUND
    title = "No such trusted publisher"


class ProviderAwayError(UnavailableError):
    """The identity provider's keys cannot be fetched now."""

    code = ProblemCode.BUSY
    title = "The identity provider does not answer"

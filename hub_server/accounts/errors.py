"""Why an account is refused."""

from hub_server.errors import ConflictError, HubServerError, NotAllowedError, NotFoundError
from schemas.problem import ProblemCode


class AccountNotFoundError(NotFoundError):
    """No account of that name."""

    code = ProblemCode.ACCOUNT_NOT_FOUND
    title = "No such account"


class NameTakenError(ConflictError):
    """Somebody has this name, or one that looks like it."""

    code = ProblemCode.NAME_TAKEN
    title = "The name is taken"


class NameBlockedError(NotAllowedError):
    """A moderator has blocked this name: nobody can take it or publish under it."""

    code = ProblemCode.NAME_BLOCKED
    title = "The name is blocked"


class AccountSuspendedError(NotAllowedError):
    """A moderator has suspended the account: it can neither log in nor use a token."""

    code = ProblemCode.ACCOUNT_SUSPENDED
    title = "The account is suspended"


class SecondFactorNeededError(NotAllowedError):
    """The account has a second factor, which this needs beside the password: its code or its key is missing."""

    code = ProblemCode.SECOND_FACTOR_NEEDED
    title = "A code is needed"


class SecurityKeyError(ConflictError):
    """A security key cannot be added: it is registered already, there are too many, or its answer is not valid."""

    code = ProblemCode.SECURITY_KEY
    title = "The key cannot be added"


class AuthorKeyError(ConflictError):
    """A key for signing cannot be registered: another account has it, there are too many, or it is not a valid key."""

    code = ProblemCode.AUTHOR_KEY
    title = "The key cannot be registered"


class SignUpClosedError(NotAllowedError):
    """The hub makes no new accounts over the network."""


class TooManyTokensError(ConflictError):
    """The account has as many tokens that hold as one may have."""

    code = ProblemCode.TOKEN_LIMIT
    title = "Too many tokens"


class TokenNotFoundError(NotFoundError):
    """The account has no such token or code."""

    code = ProblemCode.TOKEN_NOT_FOUND
    title = "No such token"


class OrganizationNotFoundError(NotFoundError):
    """No organisation of that name."""

    code = ProblemCode.ORGANIZATION_NOT_FOUND
    title = "No such organisation"


class MembershipError(ConflictError):
    """An organisation would be left without an owner, or a limit on organisations or invitations is reached."""

    code = ProblemCode.MEMBERSHIP
    title = "The membership cannot be changed in this way"


class InvitationNotFoundError(NotFoundError):
    """The account has no invitation from that organisation."""

    code = ProblemCode.INVITATION_NOT_FOUND
    title = "No such invitation"


class DevicePendingError(HubServerError):
    """RFC 8628: nobody has approved yet. Poll again after the interval."""

    code = ProblemCode.DEVICE_PENDING
    status = 400
    title = "Not approved yet"


class DeviceSlowDownError(HubServerError):
    """RFC 8628: poll less often."""

    code = ProblemCode.DEVICE_SLOW_DOWN
    status = 400
    title = "Too fast"


class DeviceDeniedError(HubServerError):
    """RFC 8628: a person denied the login."""

    code = ProblemCode.DEVICE_DENIED
    status = 400
    title = "Denied"


class DeviceExpiredError(HubServerError):
    """RFC 8628: the code has expired. Start again."""

    code = ProblemCode.DEVICE_EXPIRED
    status = 400
    title = "Expired"

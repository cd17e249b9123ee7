"""Accounts and tokens, as their owner may see them."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from schemas.base import WireModel
from schemas.emails import Email
from schemas.links import MOST_URL_CHARACTERS, is_link
from schemas.names import Owner, PackageId
from schemas.titles import Line, check_line

SHORTEST_PASSWORD = 12  # between what NIST SP 800-63B-4 asks for with a second factor (8) and without (15)
SUDO_PREFIX = "verihub_sudo_"
"""With what the secret of fifteen minutes begins that ``POST /sudo`` gives."""


class Scope(StrEnum):
    """What a token may do."""

    PUBLISH = "publish"
    RUNS = "runs"
    CASES = "cases"
    READ = "read"
    MODERATE = "moderate"
    """A moderator's powers. On a token of any other account it allows nothing."""


LOGIN_SCOPES = (Scope.PUBLISH, Scope.RUNS, Scope.CASES, Scope.READ)
"""What a token may do that a login gives: all that the command line does without the password."""


class Role(StrEnum):
    """What somebody may do for an organisation; each may also do what those below it may."""

    OWNER = "owner"
    """Changes the membership, and gives packages away, takes them over or deletes them."""
    MAINTAINER = "maintainer"
    """Publishes releases, changes their status, archives packages."""
    MEMBER = "member"
    """Sees what is private."""


class AccountCreate(WireModel):
    """Sign up. ``password`` is 12 characters or more."""

    name: Owner
    email: Email
    password: str = Field(min_length=SHORTEST_PASSWORD, max_length=1024)


def _one_line(text: str) -> str:
    """``text`` with its white space folded. Raises ``ValueError`` for what no line may hold (:func:`check_line`)."""
    return check_line(" ".join(text.split()))


def _http_link(text: str) -> str:
    """``text`` without the space around it. Raises ``ValueError`` for what is neither empty nor a link to show."""
    trimmed = text.strip()
    if trimmed and not is_link(trimmed):
        raise ValueError("a link is a whole http or https address without a password, such as https://example.org/lab")
    return trimmed


class Profile(WireModel):
    """What an owner says of itself. All of it is its own word; each field may be empty."""

    display_name: Annotated[str, AfterValidator(_one_line)] = Field(default="", max_length=120)
    description: Annotated[str, AfterValidator(_one_line)] = Field(default="", max_length=500)
    link: Annotated[str, AfterValidator(_http_link)] = Field(default="", max_length=MOST_URL_CHARACTERS)


class OwnerProfile(WireModel):
    """What a person or an organisation says of itself, as the hub shows it."""

    name: Owner
    kind: Literal["person", "organization"]
    created_at: datetime
    display_name: str = ""
    description: str = ""
    link: str = ""
    hidden_reason: str | None = None
    """Why moderators hide the three fields, which are empty for strangers then; null: they are shown."""


class Account(WireModel):
    """An account, as others may see it."""

    name: Owner
    created_at: datetime
    is_moderator: bool = False
    suspended_reason: str | None = None
    """Why a moderator suspended it: it can neither log in nor use a token. Null where it is not."""


class OwnMembership(WireModel):
    """An organisation that one is in."""

    organization: Owner
    role: Role


class OwnAccount(Account):
    """One's own account, with its organisations by name."""

    organizations: list[OwnMembership] = Field(default_factory=list)


class AccountCreated(WireModel):
    """The only answer that ever holds a secret: the token is shown once."""

    account: Account
    token: str


class LoginRequest(WireModel):
    """Exchange a password for a token."""

    name: Owner
    password: str
    code: str = Field(default="", max_length=64)
    """Of the second factor, where the account has one."""
    token_name: Line = "login"  # noqa: S105 -- a label, not a secret


class PasswordProof(WireModel):
    """The account's name and password again, for what no token may do."""

    name: Owner
    password: str
    code: str = Field(default="", max_length=64)
    """Of the second factor, where the account has one."""


class SudoCreated(WireModel):
    """A secret that acts as the person for fifteen minutes, sent as a bearer."""

    secret: str
    expires_at: datetime


class WebSession(WireModel):
    """A browser that is logged in, or a proof of the password that still holds."""

    id: str
    kind: Literal["browser", "password"]
    client: str = ""
    """What the browser calls itself."""
    created_at: datetime
    expires_at: datetime
    is_current: bool = False


class Activity(WireModel):
    """One change that an account made."""

    at: datetime
    account: str
    act: str
    """In words: ``Make a token``."""
    target: str = ""
    """The path of the hub that the request went to, or empty."""
    by: Literal["password", "session", "token", "mail"]
    """The credential that it came by: a session has typed its password; mail is a mailed link."""


class PasswordChange(WireModel):
    """A new password of 12 characters or more, and the old one as proof."""

    old: str
    new: str = Field(min_length=SHORTEST_PASSWORD, max_length=1024)
    code: str = Field(default="", max_length=64)
    """Of the second factor, where the account has one."""


class SecurityKey(WireModel):
    """A security key (WebAuthn) that stands beside the password."""

    id: str
    name: str
    created_at: datetime
    last_used_at: datetime | None = None


class SecondFactorState(WireModel):
    """Whether an account has a second factor. Nobody else sees it."""

    enabled_at: datetime | None = None
    """Since when codes of an authenticator app count; null: they do not."""
    security_keys: list[SecurityKey] = Field(default_factory=list)
    recovery_codes_left: int = 0

    @property
    def is_on(self) -> bool:
        """Whether signing in needs more than the password."""
        return self.enabled_at is not None or bool(self.security_keys)


class SecondFactorStart(WireModel):
    """A secret for an authenticator app: by hand (Base32), or as an ``otpauth://`` address."""

    secret: str
    uri: str


class SecondFactorCode(WireModel):
    """A code of the app, or a recovery code."""

    code: str = Field(max_length=64)


class RecoveryCodes(WireModel):
    """Each stands once for a code of the app. Shown once."""

    codes: list[str]


class RecoveryRequest(WireModel):
    """Ask for a link that sets a new password. ``account``: its name or its e-mail address."""

    account: str = Field(min_length=2, max_length=254)


class PasswordReset(WireModel):
    """A new password of 12 characters or more, by the code of a mailed link."""

    code: str = Field(max_length=200)
    new: str = Field(min_length=SHORTEST_PASSWORD, max_length=1024)


class EmailChange(WireModel):
    """Another address for the account."""

    email: Email


class EmailConfirmation(WireModel):
    """The code of a link that was mailed to the address."""

    code: str = Field(max_length=200)


class EmailState(WireModel):
    """One's own address. Nobody else sees it."""

    email: str
    confirmed_at: datetime | None = None
    is_needed: bool = False
    """Whether this hub wants a confirmed address for publishing and for cases."""


class TokenCreate(WireModel):
    """Ask for a token. ``expires_days``: 1 to 365.

    ``package``: the token publishes this one package and changes the state of its releases, and nothing else. Its only
    scope is ``publish`` then. The package need not be there yet.

    ``owner``: the same for all packages of one owner, the account itself or an organisation that it publishes for.
    """

    name: Line = Field(min_length=1, max_length=80)
    scopes: list[Scope] = Field(default_factory=lambda: list(LOGIN_SCOPES))
    expires_days: int = Field(default=90, ge=1, le=365)
    package: PackageId | None = None
    owner: Owner | None = None


class Token(WireModel):
    """A token without its secret."""

    id: str
    name: str
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = None
    package: str | None = None
    """The one package that it publishes; null: whatever its account may."""
    owner: str | None = None
    """The one owner whose packages it publishes; null: each for which its account may."""


class TokenCreated(WireModel):
    """A fresh token, shown once."""

    token: Token
    secret: str


class DeviceCodeRequest(WireModel):
    """Ask to be let in by a person at a browser (RFC 8628)."""

    client_name: Line = Field(default="verihub", min_length=1, max_length=80)
    purpose: Literal["token", "proof"] = "token"
    """``proof``: fifteen minutes as the person, for what no token may do. Send the account's token: it alone can
    approve.
    """


class DeviceCode(WireModel):
    """What the device shows and polls with. ``interval`` and ``expires_in`` are seconds."""

    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    interval: int


class DeviceTokenRequest(WireModel):
    """One poll of a waiting device."""

    device_code: str


class TokenSecret(WireModel):
    """A token's secret, sent by somebody who found it. The hub then revokes the token."""

    token: str


class OrganizationCreate(WireModel):
    """Create an organisation; the account that creates it is its first owner."""

    name: Owner
    display_name: Line = Field(default="", max_length=120)


class Member(WireModel):
    """Somebody in an organisation."""

    account: Owner
    role: Role = Role.MEMBER


class Membership(Member):
    """Somebody in an organisation, as the hub shows it."""

    ends_at: datetime | None = None
    """When an owner is to be no owner any more, as another owner has asked; shown to members alone."""


class Organization(WireModel):
    """An organisation and its members."""

    name: Owner
    display_name: str
    created_at: datetime
    members: list[Membership]
    invited: list[Member] = Field(default_factory=list)
    """Who was asked and has not answered; shown to its members alone. They are no members yet."""


class Invitation(WireModel):
    """An organisation asks an account to be its member. Only that account sees it, accepts or declines."""

    organization: Owner
    role: Role
    invited_by: Owner
    created_at: datetime


class InvitationAnswer(WireModel):
    """What the account says to it."""

    accept: bool


class AuthorKeyCreate(WireModel):
    """Register a key that releases are signed with. ``public_key``: raw Ed25519; ``claim``: its signature; base64.

    The claim is over ``verihub author key of NAME`` and a line break, with the name of the account.
    """

    public_key: str = Field(max_length=64)
    claim: str = Field(max_length=128)


class AuthorKey(WireModel):
    """A public key whose signatures on releases the hub takes as the account's."""

    id: str
    public_key: str
    added_at: datetime

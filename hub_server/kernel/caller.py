"""The caller: the account behind a request, and what its credential allows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from hub_server.errors import NotAllowedError, NotAuthenticatedError, PasswordNeededError
from schemas.account import Scope

SESSION_LIFETIME = timedelta(days=30)
"""How long a browser stays logged in: its session in the database and its cookie end at the same time."""


@dataclass(frozen=True)
class ProvenFactor:
    """The second factor of an account was right, for one request. Only ``accounts.prove_factor`` makes one."""

    account_id: str


@dataclass(frozen=True)
class Credentials:
    """What a request brought: a bearer token, a session cookie, or nothing."""

    token: str | None = None
    session_secret: str | None = None
    factor: ProvenFactor | None = None
    """The second factor that came with this request, beside the cookie."""


def bearer_token(headers: Mapping[str, str]) -> str | None:
    """The token of ``Authorization: Bearer …``, or None.

    A request that brings one is never a browser session's: its cookie is not read, or what the caller proves by one
    account could be done with the cookie of another.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return (token.strip() or None) if scheme.lower() == "bearer" else None


@dataclass(frozen=True)
class Caller:
    """An authenticated account. ``scopes`` are those of its token; a web session has all of them."""

    account_id: str
    name: str
    scopes: frozenset[Scope]
    is_moderator: bool = False
    """True for a moderator's account whose credential has the scope ``moderate``."""
    organizations: frozenset[str] = frozenset()
    """Those that it is a member of, in any role: it sees what is private there."""
    maintained: frozenset[str] = frozenset()
    """Those of them in which it may publish."""
    by_session: bool = False
    """True for a browser's session, False for a token."""
    credential: str = ""
    """The id of the session that it came by; empty for a token."""
    is_proven: bool = False
    """True for a session whose person typed the password in the last minutes."""
    has_shown_factor: bool = False
    """True where the account's second factor came with this request, or its credential is the secret of one command,
    for which all factors were just shown. A browser's cookie alone says nothing of the kind.
    """
    must_confirm_email: bool = False
    """True where this hub wants a confirmed address for publishing and for cases, and the account has none."""
    only_package: str = ""
    """The one package that its token may publish, and of what is private see; empty: all that the account may."""
    only_owner: str = ""
    """The one owner for which its token may publish; empty: each for which the account may."""
    is_operator: bool = False
    """True for whoever runs ``verihub admin`` on the hub's own machine."""

    def owns(self, owner: str) -> bool:
        """Whether ``owner`` is this account, or an organisation that it is a member of."""
        return owner in self.owners

    def maintains(self, owner: str) -> bool:
        """Whether this account may publish for ``owner``: itself, or an organisation that it maintains."""
        return self.only_owner in ("", owner) and (owner == self.name or owner in self.maintained)

    @property
    def only(self) -> str:
        """The one package, or the one owner, that its token publishes for; empty: all that the account may."""
        return self.only_package or self.only_owner

    @property
    def sees(self) -> frozenset[str]:
        """Whose private packages and runs it may read: a token needs ``read``, or is of one package."""
        return self.owners if Scope.READ in self.scopes or self.only_package else frozenset()

    @property
    def owners(self) -> frozenset[str]:
        """The account and its organisations, or the one of them that its token is of."""
        owners = self.organizations | {self.name}
        return owners & {self.only_owner} if self.only_owner else owners


def require_caller(caller: Caller | None, scope: Scope | None = None) -> Caller:
    """The caller, or a refusal that says how to become one. ``scope``: what its token must allow."""
    if caller is None:
        raise NotAuthenticatedError(
            "This needs an account: log in (`verihub login`; `--sign-up EMAIL` makes an account),"
            " or give a token (VERIHUB_TOKEN; over HTTP `Authorization: Bearer TOKEN`)."
        )
    if scope is not None and scope not in caller.scopes:
        raise NotAllowedError(f"This token lacks the scope {scope.value!r}: make one that has it (`verihub token`).")
    if caller.must_confirm_email and scope in (Scope.PUBLISH, Scope.CASES):
        raise NotAllowedError(
            "This hub wants a confirmed e-mail address first: ask for the link on your account page (/account)."
        )
    return caller


def require_owner(caller: Caller | None, owner: str, scope: Scope) -> Caller:
    """The caller, if it may act for ``owner`` under ``scope``; for ``publish`` it must be a maintainer there."""
    who = require_caller(caller, scope)
    if not (who.maintains(owner) if scope is Scope.PUBLISH else who.owns(owner)):
        role = "maintainer or an owner" if scope is Scope.PUBLISH else "member"
        raise NotAllowedError(
            f"{owner} is neither your account ({who.name}) nor an organisation that you are a {role} of: "
            "use one of yours."
        )
    return who


def require_publisher(caller: Caller | None, package_id: str, owner: str) -> Caller:
    """The caller, if it may change releases of ``package_id``, which ``owner`` has.

    The refusal does not name ``owner``: that would say that a private package exists.
    """
    who = require_caller(caller, Scope.PUBLISH)
    if who.only_owner not in ("", owner):
        raise NotAllowedError(f"This token publishes packages of {who.only_owner} and nothing else.")
    if not who.maintains(owner):
        raise NotAllowedError(
            f"You cannot publish or change {package_id}: it is neither of your account ({who.name}) nor of an "
            "organisation that you are a maintainer or an owner of."
        )
    if who.only_package not in ("", package_id):
        raise NotAllowedError(f"This token publishes {who.only_package} and nothing else.")
    return who


def require_moderator(caller: Caller | None) -> Caller:
    """The caller, if it sees what moderators see: a moderator, by a session or a token with the scope ``moderate``."""
    who = require_caller(caller)
    if not who.is_moderator:
        raise NotAllowedError("Only a moderator of this hub may do this, with a token only by its scope 'moderate'.")
    return who


def operator() -> Caller:
    """The person who runs ``verihub admin``: no account of the hub, but with all powers of moderators, and more."""
    return Caller(
        account_id="",
        name="operator",
        scopes=frozenset(Scope),
        is_moderator=True,
        by_session=True,
        is_proven=True,
        has_shown_factor=True,
        is_operator=True,
    )


def require_operator(caller: Caller | None) -> Caller:
    """The caller, if it is the operator; no request over the network is."""
    who = require_caller(caller)
    if not who.is_operator:
        raise NotAllowedError("Only this hub's operator may do this, on its own machine: `verihub admin`.")
    return who


def require_person(caller: Caller | None) -> Caller:
    """The caller, if it is a person at a browser, or one who has just typed the password. No token is, whatever it may.

    A token that leaks must not see, make or end other tokens, nor change organisations.
    """
    who = require_caller(caller)
    if not who.by_session:
        raise PasswordNeededError(
            "A token does not manage the account: do it in a browser, or with the password (`POST /api/v1/sudo`)."
        )
    return who


def require_password(caller: Caller | None) -> Caller:
    """The caller, if it typed the password in the last minutes. What changes something asks ``accounts.require_proof``,
    which wants the second factor as well.
    """
    who = require_person(caller)
    if not who.is_proven:
        raise PasswordNeededError("Type your password again: it was typed too long ago for this.")
    return who

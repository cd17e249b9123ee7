"""Tables of accounts: people and organisations share one namespace."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base

PERSON, ORGANIZATION, DELETED = "person", "organization", "deleted"


class AccountRow(Base):
    """A person or an organisation, or a person who was (``kind`` deleted): that row keeps the name alone.

    Look-alike characters are folded in ``name_folded``, so that no two names look the same.
    """

    __tablename__ = "accounts"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    name_folded: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str] = mapped_column(default=PERSON)
    display_name: Mapped[str] = mapped_column(default="")
    description: Mapped[str] = mapped_column(default="", server_default="")
    link: Mapped[str] = mapped_column(default="", server_default="")
    profile_hidden_reason: Mapped[str | None]
    """Why display name, description and link are not shown; None: they are."""
    email: Mapped[str] = mapped_column(default="")
    email_confirmed_at: Mapped[datetime | None]
    """When somebody opened a link that was mailed to this address; None: nobody did."""
    email_changed_at: Mapped[datetime | None]
    """When the address became another one; None: it never did."""
    password_hash: Mapped[str] = mapped_column(default="")
    is_moderator: Mapped[bool] = mapped_column(default=False)
    suspended_reason: Mapped[str | None]
    """Why it may neither log in nor use a token; None: it may."""
    hidden_reason: Mapped[str | None] = mapped_column(index=True)
    """Why its packages, counter-examples, runs and collections are not shown, while it is suspended; None: they are."""
    created_at: Mapped[datetime]


class BlockedNameRow(Base):
    """A name that nobody can take or publish under: ``owner`` or ``owner/name``."""

    __tablename__ = "blocked_names"

    name: Mapped[str] = mapped_column(primary_key=True)
    name_folded: Mapped[str] = mapped_column(index=True)
    reason: Mapped[str]
    blocked_by: Mapped[str]
    created_at: Mapped[datetime]


class MembershipRow(Base):
    """A person in an organisation. ``role``: see ``schemas.account.Role``."""

    __tablename__ = "memberships"

    organization_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True, index=True)
    role: Mapped[str]
    created_at: Mapped[datetime]
    ends_at: Mapped[datetime | None]
    """When an owner is lost, as another owner has asked; None: nobody has."""
    ends_as: Mapped[str | None]
    """The role that is left then, or "" for none."""
    ends_by: Mapped[str | None]


class FormerMemberRow(Base):
    """Somebody who has left an organisation, by name: what they say of its packages is not independent at once."""

    __tablename__ = "former_members"

    organization_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    member: Mapped[str] = mapped_column(primary_key=True)
    left_at: Mapped[datetime] = mapped_column(index=True)


class InvitationRow(Base):
    """A person who was asked into an organisation and has not accepted. Membership decides who is independent."""

    __tablename__ = "invitations"

    organization_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True, index=True)
    role: Mapped[str]
    invited_by: Mapped[str]
    created_at: Mapped[datetime]
    declined_at: Mapped[datetime | None]
    """When the person declined: the organisation may not ask again at once. None: no answer yet."""


class TokenRow(Base):
    """A token, by the SHA-256 of its secret. A secret of 190 random bits needs no slow hash."""

    __tablename__ = "tokens"

    id: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str]
    secret_sha256: Mapped[str] = mapped_column(unique=True)
    scopes: Mapped[list[str]]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    package_id: Mapped[str | None]
    """The one package that it may publish; None: whatever its account may."""
    owner: Mapped[str | None]
    """The one account or organisation for which it may publish; None: each for which its account may."""


BROWSER, TYPED_PASSWORD, TICKET, KNOWN_BROWSER = "browser", "password", "ticket", "known"
"""Kinds of web sessions, as they are stored."""


class WebSessionRow(Base):
    """A browser that is logged in (``BROWSER``), a proof of the password for some minutes (``TYPED_PASSWORD``), a right
    password that waits for its code (``TICKET``), or a browser that was signed in with and has no power
    (``KNOWN_BROWSER``).
    """

    __tablename__ = "web_sessions"

    secret_sha256: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    kind: Mapped[str] = mapped_column(default=BROWSER)
    client: Mapped[str] = mapped_column(default="")
    """What the browser calls itself, cut short."""
    proven_at: Mapped[datetime | None]
    """When its person last typed the password."""
    challenge: Mapped[str | None]
    """What a security key was asked to sign for this session, in Base64url; an answer, right or wrong, uses it up."""
    challenge_until: Mapped[datetime | None]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class SecondFactorRow(Base):
    """The secret that an account shares with its authenticator app. It counts from ``enabled_at`` on."""

    __tablename__ = "second_factors"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    secret: Mapped[str]
    """Base32. It cannot be a hash: the hub computes codes with it."""
    created_at: Mapped[datetime]
    enabled_at: Mapped[datetime | None]
    last_step: Mapped[int] = mapped_column(default=0)
    """The half minute of the newest code that was used: neither it nor an older one is taken again."""
    failures: Mapped[int] = mapped_column(default=0)
    locked_until: Mapped[datetime | None]


class SecurityKeyRow(Base):
    """A security key (WebAuthn) of an account. It counts as a second factor as soon as it is here."""

    __tablename__ = "security_keys"

    id: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str]
    credential_id: Mapped[str] = mapped_column(unique=True)
    """As the key calls itself, in Base64url. No two accounts have the same."""
    public_key: Mapped[str]
    """COSE, in Base64url."""
    sign_count: Mapped[int] = mapped_column(BigInteger)
    """The key's counter in its newest answer. A copy of the key is found by a counter that does not grow."""
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]


class RecoveryCodeRow(Base):
    """A recovery code that was not used, by its SHA-256."""

    __tablename__ = "recovery_codes"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    code_sha256: Mapped[str] = mapped_column(primary_key=True)


class MailedSecretRow(Base):
    """A secret in a mail that was sent, by its SHA-256. Using it deletes it. ``purpose``: reset or confirmation."""

    __tablename__ = "mailed_secrets"

    secret_sha256: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    purpose: Mapped[str]
    email: Mapped[str]
    """Where it was sent. It is accepted only while this is the account's address."""
    job_id: Mapped[str]
    """The job that sent it. One that is run again replaces its own."""
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class DeviceLoginRow(Base):
    """A device that waits for approval (RFC 8628). ``state``: waiting, approved, denied or used."""

    __tablename__ = "device_logins"

    id: Mapped[str] = mapped_column(primary_key=True)
    device_code_sha256: Mapped[str] = mapped_column(unique=True)
    user_code: Mapped[str] = mapped_column(unique=True)
    client_name: Mapped[str]
    state: Mapped[str] = mapped_column(default="waiting")
    purpose: Mapped[str] = mapped_column(default="token", server_default="token")
    """``token``: it stays signed in; ``proof``: it acts as the person for minutes."""
    account_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))
    """Who has approved; of a proof who has asked, and nobody else may approve."""
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class AuthorKeyRow(Base):
    """A public key that an account signs its releases with. Deleting the row ends it; releases keep what they carry."""

    __tablename__ = "author_keys"

    public_key: Mapped[str] = mapped_column(primary_key=True)
    """Raw Ed25519 in base64. A key is one account's."""
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    added_at: Mapped[datetime]

"""Pure decisions about names, secrets and lifetimes."""

import base64
import binascii
import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from schemas.account import Role, Scope

SESSION_LIFETIME = timedelta(days=30)
PROOF_LIFETIME = timedelta(minutes=15)
"""How long a typed password allows what tokens may not: making tokens, letting devices in, changing members."""
RESET_LIFETIME = timedelta(hours=1)
CONFIRMATION_LIFETIME = timedelta(days=3)
MAIL_PAUSE = timedelta(minutes=5)
"""An account gets no second mail of one purpose before this is over: nobody can flood a stranger's mailbox."""
TICKET_LIFETIME = timedelta(minutes=5)
"""How long a page waits for the code after the password was right."""
CODE_TRIES = 5
CODE_PAUSE = timedelta(minutes=15)
"""For so long no code of an account is taken after so many wrong ones in a row."""
RECOVERY_CODES = 10
_STEP_SECONDS = 30
_CODE_DIGITS = 6
DECLINED_FOR = timedelta(days=30)
"""For so long an organisation does not ask again who has declined."""
MOST_ORGANIZATIONS = 50
"""So many organisations an account may be an owner of before it creates another: names are one for all."""
MOST_INVITATIONS = 100
"""So many people an organisation may have asked who have not answered."""
DEVICE_LIFETIME = timedelta(minutes=15)
DEVICE_POLL_SECONDS = 5
TOKEN_PREFIX = "verihub_pat_"  # noqa: S105 -- never change it: scanners of leaked secrets look for it
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_CHARACTERS = 32
_CHECK_CHARACTERS = 6
_USER_CODE_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"  # No vowels and no digits: no words and no look-alikes.

RESERVED_NAMES = frozenset(
    [
        "api",
        "search",
        "label",
        "compare",
        "owners",
        "theme",
        "www",
        "security",
        "support",
        "simple",
        "static",
        "feeds",
        "docs",
        "login",
        "logout",
        "signup",
        "settings",
        "tokens",
        "device",
        "runs",
        "audits",
        "benchmarks",
        "packages",
        "accounts",
        "account",
        "organizations",
        "organization",
        "admin",
        "operator",
        "moderation",
        "healthz",
        "readyz",
        "metrics",
        "about",
        "help",
        "verihub",
        "hub",
        "root",
        "system",
        "official",
        "anonymous",
        "probe",
        "author",
        "community",
    ]
)


def fold_name(name: str) -> str:
    """``name`` with look-alikes folded together: l, i and 1; o and 0."""
    return name.translate(str.maketrans("l10", "iio"))


def make_token_secret() -> str:
    """``verihub_pat_`` + 32 random base62 characters + ``_`` + a check sum, so that a secret scanner can verify it
    offline.
    """
    body = "".join(secrets.choice(_BASE62) for _ in range(_RANDOM_CHARACTERS))
    return f"{TOKEN_PREFIX}{body}_{_check_sum(body)}"


def is_token_shaped(text: str) -> bool:
    """Whether ``text`` has the form of a token. It saves a database query for typing errors."""
    body, separator, check = text.removeprefix(TOKEN_PREFIX).partition("_")
    return (
        text.startswith(TOKEN_PREFIX)
        and bool(separator)
        and len(body) == _RANDOM_CHARACTERS
        and text.isascii()
        and secrets.compare_digest(check, _check_sum(body))
    )


def _check_sum(body: str) -> str:
    number = binascii.crc32(body.encode("utf-8", "replace"))
    digits = ""
    for _ in range(_CHECK_CHARACTERS):
        number, place = divmod(number, 62)
        digits = _BASE62[place] + digits
    return digits


def known_scopes(stored: Iterable[str]) -> list[Scope]:
    """What a token allows here. A scope that only another version of the hub knows allows nothing."""
    return [Scope(scope) for scope in stored if scope in set(Scope)]


def role_of(stored: str) -> Role:
    """A membership's role. One that only another version of the hub knows allows the least."""
    return Role(stored) if stored in set(Role) else Role.MEMBER


def may_invite_again(declined_at: datetime | None, now: datetime) -> bool:
    """Whether an organisation may ask somebody who has declined: nobody is asked over and over."""
    return declined_at is None or now - declined_at >= DECLINED_FOR


def secret_hash(secret: str) -> str:
    """What is stored of a secret that is random enough by itself."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def session_id(secret_sha256: str) -> str:
    """What a session is called in lists: it says nothing of its secret."""
    return secret_sha256[:20]


def make_totp_secret() -> str:
    """A secret of 160 bits for an authenticator app, in Base32."""
    return base64.b32encode(secrets.token_bytes(20)).decode()


def totp_uri(secret: str, name: str) -> str:
    """The secret as an authenticator app reads it."""
    return _totp(secret).get_provisioning_uri(name, "Verihub")


def step_of_code(secret: str, code: str, now: datetime, *, after: int) -> int | None:
    """The half minute that ``code`` is of: this one or a neighbour, and later than ``after``; None: of none."""
    this = int(now.timestamp()) // _STEP_SECONDS
    totp, found = _totp(secret), None
    for step in (this - 1, this, this + 1):
        right = totp.generate(step * _STEP_SECONDS)
        if secrets.compare_digest(right, code.encode("utf-8", "replace")) and step > after:
            found = step
    return found


def _totp(secret: str) -> TOTP:
    return TOTP(base64.b32decode(secret), _CODE_DIGITS, SHA1(), _STEP_SECONDS)  # noqa: S303 -- what every app computes


def make_recovery_code() -> str:
    """80 random bits in four groups: ``k3wd-9q2m-x7ra-b5tn``."""
    letters = base64.b32encode(secrets.token_bytes(10)).decode().lower()
    return "-".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def clean_code(text: str) -> str:
    """A code as it is compared, whatever case, spaces or dashes a person typed."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def make_user_code() -> str:
    """What a person types at the device page: eight consonants, ``WDJB-MJHT``."""
    letters = [secrets.choice(_USER_CODE_ALPHABET) for _ in range(8)]
    return "".join(letters[:4]) + "-" + "".join(letters[4:])


def clean_user_code(text: str) -> str:
    """The code as stored, whatever case or dash a person typed."""
    letters = "".join(ch for ch in text.upper() if ch.isalpha())
    return f"{letters[:4]}-{letters[4:8]}"

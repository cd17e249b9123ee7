"""Pure decisions about tokens, sessions, mailed links and devices: their secrets, and how long those hold.

How long a browser stays logged in is ``kernel.caller.SESSION_LIFETIME``, since the cookie needs it too.
"""

import binascii
import hashlib
import secrets
from collections.abc import Iterable
from datetime import timedelta

from schemas.account import Scope

PROOF_LIFETIME = timedelta(minutes=15)
"""How long after the password was typed a session may do what a token may not, such as making tokens."""
RESET_LIFETIME = timedelta(hours=1)  # chosen: who reads the mailbox later must not find a way in
CONFIRMATION_LIFETIME = timedelta(days=3)  # chosen: over a weekend; the link gives no access
FRESH_ADDRESS = timedelta(days=3)
"""How long no password reset is mailed to an address that replaced another. Otherwise whoever has somebody's browser
for a moment, with the password just typed there, could enter an address, have a reset mailed to it and keep the
account.
"""
MAIL_PAUSE = timedelta(minutes=5)
"""An account gets no second mail of one purpose before this is over: nobody can flood a stranger's mailbox."""
DEVICE_LIFETIME = timedelta(minutes=15)  # chosen: half of RFC 8628's example
DEVICE_POLL_SECONDS = 5  # RFC 8628's default
TOKEN_PREFIX = "verihub_pat_"  # noqa: S105 -- never change it: scanners of leaked secrets look for it
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_CHARACTERS = 32  # 190 bits, so nothing slower than SHA-256 need guard a stored one
_CHECK_CHARACTERS = 6  # a CRC-32 in base 62, by which scanners for leaked secrets tell a token from noise
_USER_CODE_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"  # No vowels and no digits: no words and no look-alikes.


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


def secret_hash(secret: str) -> str:
    """What is stored of a secret that is random enough by itself."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def session_id(secret_sha256: str) -> str:
    """What a session is called in lists: it says nothing of its secret."""
    return secret_sha256[:20]


def make_user_code() -> str:
    """What a person types at the device page: eight consonants, ``WDJB-MJHT``."""
    letters = [secrets.choice(_USER_CODE_ALPHABET) for _ in range(8)]
    return "".join(letters[:4]) + "-" + "".join(letters[4:])


def clean_user_code(text: str) -> str:
    """The code as stored, whatever case or dash a person typed."""
    letters = "".join(ch for ch in text.upper() if ch.isalpha())
    return f"{letters[:4]}-{letters[4:8]}"

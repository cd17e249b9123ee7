"""Pure decisions about codes of an authenticator app (TOTP, RFC 6238) and recovery codes."""

import base64
import secrets
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

TICKET_LIFETIME = timedelta(minutes=5)
"""How long a page waits for the code after the password was right."""
CODE_TRIES = 5  # chosen: five guesses of a million codes
CODE_PAUSE = timedelta(minutes=15)
"""For so long no code of an account is taken after so many wrong ones in a row."""
RECOVERY_CODES = 10  # chosen: each is used once
_STEP_SECONDS = 30  # with six digits what apps assume (RFC 6238)
_CODE_DIGITS = 6  # what authenticator apps show, and the fewest that RFC 4226 allows


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

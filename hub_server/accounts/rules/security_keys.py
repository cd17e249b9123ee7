"""Pure decisions about security keys (WebAuthn level 2): for which address they work, and what an answer of one proves.

The library checks signature, challenge, origin and counter. Here stands what is asked of keys, and what is sound.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from webauthn import (
    base64url_to_bytes,
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import bytes_to_base64url
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from schemas.hosts import is_ipv6

CHALLENGE_LIFETIME = timedelta(minutes=3)
"""How long a key may take to answer what the hub asked."""
MOST_KEYS = 10  # chosen, not measured
LONGEST_ANSWER = 16_384
"""Characters of a browser's answer: keys that sign with RSA send about 3,000."""
_LONGEST_ID, _LONGEST_PUBLIC_KEY = 1023, 2048  # the former is WebAuthn's own limit; bytes
_log = logging.getLogger("hub_server.accounts")


@dataclass(frozen=True)
class RelyingParty:
    """The site that keys are bound to. A key answers no other site, whatever that looks like to a person."""

    id: str
    """The host name."""
    origin: str
    """As browsers write it: scheme, host name, and a port that is not the scheme's own."""


@dataclass(frozen=True)
class KeyState:
    """What is kept of a key. ``credential_id`` and ``public_key`` (COSE) are Base64url."""

    credential_id: str
    public_key: str
    sign_count: int


def relying_party(public_url: str) -> RelyingParty | None:
    """What keys are bound to on the hub at ``public_url``; None where browsers know no keys.

    They want a host name and https, or ``localhost``.
    """
    try:
        parts = urlsplit(public_url)
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:
        return None
    is_name = bool(host) and not is_ipv6(host) and not host.replace(".", "").isdigit()
    if not is_name or not (parts.scheme == "https" or (parts.scheme == "http" and host == "localhost")):
        return None
    is_usual = port in (None, 443 if parts.scheme == "https" else 80)
    return RelyingParty(host, f"{parts.scheme}://{host}" + ("" if is_usual else f":{port}"))


def ask_to_register(
    party: RelyingParty, name: str, account_id: str, known: Sequence[str], challenge: str
) -> dict[str, Any]:
    """What the browser is given to make a key answer for the first time. ``known``: ids of keys that must not."""
    options = generate_registration_options(
        rp_id=party.id,
        rp_name="Verihub",
        user_name=name,
        user_id=account_id.encode(),
        challenge=base64url_to_bytes(challenge),
        timeout=int(CHALLENGE_LIFETIME.total_seconds() * 1000),
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.DISCOURAGED,
            user_verification=UserVerificationRequirement.DISCOURAGED,  # the password is the other factor
        ),
        exclude_credentials=_descriptors(known),
    )
    return _as_json(options)


def ask_to_prove(party: RelyingParty, known: Sequence[str], challenge: str) -> dict[str, Any]:
    """What the browser is given to make one of the keys ``known`` answer."""
    options = generate_authentication_options(
        rp_id=party.id,
        challenge=base64url_to_bytes(challenge),
        timeout=int(CHALLENGE_LIFETIME.total_seconds() * 1000),
        allow_credentials=_descriptors(known),
        user_verification=UserVerificationRequirement.DISCOURAGED,
    )
    return _as_json(options)


def read_registration(party: RelyingParty, answer: str, challenge: str) -> KeyState | None:
    """The key that answered ``challenge`` for the first time; None for any answer that is not sound."""
    try:
        found = verify_registration_response(
            credential=answer,
            expected_challenge=base64url_to_bytes(challenge),
            expected_rp_id=party.id,
            expected_origin=party.origin,
        )
    except Exception as error:  # noqa: BLE001 -- strangers' bytes go through four parsers, and no answer may be a fault of ours
        _log.info("a security key's first answer was refused: %s", type(error).__name__)
        return None
    if len(found.credential_id) > _LONGEST_ID or len(found.credential_public_key) > _LONGEST_PUBLIC_KEY:
        return None
    return KeyState(
        bytes_to_base64url(found.credential_id), bytes_to_base64url(found.credential_public_key), found.sign_count
    )


def key_named_in(answer: str) -> str:
    """The id of the key that an answer names, in the form in which ids are stored; empty where it names none."""
    try:
        named = json.loads(answer)["id"]
        return bytes_to_base64url(base64url_to_bytes(named))
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""


def read_proof(party: RelyingParty, answer: str, challenge: str, key: KeyState) -> int | None:
    """The key's counter in a sound answer to ``challenge``; None for any other, also of a counter that went back."""
    try:
        found = verify_authentication_response(
            credential=answer,
            expected_challenge=base64url_to_bytes(challenge),
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=base64url_to_bytes(key.public_key),
            credential_current_sign_count=key.sign_count,
        )
    except Exception as error:  # noqa: BLE001 -- as above
        _log.info("a security key's answer was refused: %s", type(error).__name__)
        return None
    return found.new_sign_count if bytes_to_base64url(found.credential_id) == key.credential_id else None


def _descriptors(known: Sequence[str]) -> list[PublicKeyCredentialDescriptor]:
    return [PublicKeyCredentialDescriptor(id=base64url_to_bytes(one)) for one in known]


def _as_json(options: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(options_to_json(options))
    return found

"""Identity tokens checked by PyJWT against the keys that their issuers publish."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jwt

from hub_server.adapters.checked_http import ANY_NETWORK, CheckedHttp
from hub_server.ports.clock import Clock
from hub_server.ports.identity_provider import IdentityProviderAwayError, InvalidIdentityError
from hub_server.ports.outgoing_http import OutgoingError

ALGORITHMS = ("RS256", "ES256")
"""Only signatures by a key pair: with a shared secret, whoever can check a token could make one."""
_REQUIRED = ("iss", "aud", "sub", "jti", "iat", "exp")
_LEEWAY_SECONDS = 30  # chosen, not measured: clocks differ
_LONGEST_SECONDS = 3600  # chosen: a job asks for a token when it needs one
_KEPT_SECONDS = 3600.0
"""How long fetched keys are used. A key that its issuer withdraws signs nothing here after that time."""
_PAUSE_SECONDS = 60.0
"""Keys are fetched at most so often, however many tokens name unknown ones."""
_WAIT_SECONDS = 2.0
"""How long one token waits while keys are fetched for another: a slow issuer must not hold the hub's threads."""
_MOST_BYTES = 1 << 20  # chosen: keys have a few kilobytes
_TIMEOUT_SECONDS = 10.0  # chosen, not measured
_BAD_DOCUMENTS = (
    OutgoingError, jwt.PyJWTError, ValueError, LookupError, TypeError, RecursionError,
)  # fmt: skip
"""What a document that cannot be had, or is another than it should be, makes its readers raise."""

Fetch = Callable[[str], Any]


class OidcIdentityProvider:
    """Accepts tokens of exactly ``issuers``. Nothing that a token says is fetched but its issuer's own documents."""

    def __init__(self, issuers: Sequence[str], clock: Clock, fetch: Fetch | None = None) -> None:
        self._keys = {issuer: _Keys(issuer, clock, fetch or fetch_json) for issuer in issuers}

    def claims_of(self, token: str, audience: str) -> Mapping[str, Any]:
        try:
            header = jwt.get_unverified_header(token)
            said = jwt.decode(token, options={"verify_signature": False})
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise InvalidIdentityError("This is no identity token (a signed JWT).") from None
        issuer, key_id = said.get("iss"), header.get("kid")
        keys = self._keys.get(issuer) if isinstance(issuer, str) else None
        if keys is None:
            raise InvalidIdentityError("This hub does not accept the token's issuer.")
        if header.get("alg") not in ALGORITHMS or not isinstance(key_id, str):
            raise InvalidIdentityError("The token is not signed in a way that this hub accepts (RS256, ES256).")
        key = keys.find(key_id)
        if key is None:
            raise InvalidIdentityError("The token is signed by a key that its issuer does not publish.")
        return _checked(token, key, audience, str(issuer))


def _checked(token: str, key: jwt.PyJWK, audience: str, issuer: str) -> Mapping[str, Any]:
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[name for name in ALGORITHMS if name == key.algorithm_name],
            audience=audience,
            issuer=issuer,
            leeway=_LEEWAY_SECONDS,
            options={"require": list(_REQUIRED), "strict_aud": True},
        )
    except jwt.ExpiredSignatureError:
        raise InvalidIdentityError("The token has expired: ask for a new one.") from None
    except jwt.InvalidAudienceError:
        raise InvalidIdentityError(
            f"The token is for somebody else: ask for one with the audience {audience}."
        ) from None
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError) as error:
        raise InvalidIdentityError(f"The token is not valid ({type(error).__name__}).") from None
    times = claims["iat"], claims["exp"]
    if not all(isinstance(one, int) for one in times) or not 0 < times[1] - times[0] <= _LONGEST_SECONDS:
        raise InvalidIdentityError("The token is valid for longer than an hour: ask for a shorter one.")
    if not all(isinstance(claims[name], str) and claims[name] for name in ("sub", "jti")):
        raise InvalidIdentityError(
            "The token has no subject or no id: its issuer must send the claims `sub` and `jti`, as texts."
        )
    return claims


class _Keys:
    """One issuer's public keys by id."""

    def __init__(self, issuer: str, clock: Clock, fetch: Fetch) -> None:
        self._issuer = issuer
        self._clock = clock
        self._fetch = fetch
        self._lock = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_at = self._asked_at = float("-inf")
        self._failure = ""
        """Why the keys could not be fetched when that was last tried; empty: they were."""

    def find(self, key_id: str) -> jwt.PyJWK | None:
        """The key of that id, or None where the issuer publishes none.

        Keys are fetched when the known ones are old or lack it, at most once in ``_PAUSE_SECONDS``.
        Raises ``IdentityProviderAwayError`` while the key is not known because they cannot be fetched.
        """
        now = self._clock.now().timestamp()
        fetched_at = self._fetched_at  # read before the keys: theirs is never older
        known = self._keys.get(key_id)
        if known is not None and now - fetched_at <= _KEPT_SECONDS:
            return known
        if not self._lock.acquire(timeout=_WAIT_SECONDS):
            raise IdentityProviderAwayError(f"The keys of {self._issuer} are being fetched, which takes long.")
        try:
            if now - self._fetched_at > _KEPT_SECONDS:
                self._keys = {}
            if key_id not in self._keys and now - self._asked_at > _PAUSE_SECONDS:
                self._refresh(now)
            if key_id not in self._keys and self._failure:
                raise IdentityProviderAwayError(self._failure)
            return self._keys.get(key_id)
        finally:
            self._lock.release()

    def _refresh(self, now: float) -> None:
        """Fetch the keys; where that fails, keep those that are not old yet."""
        self._asked_at, self._failure = now, ""
        try:
            found = self._fetched()
            self._keys, self._fetched_at = found, now
        except IdentityProviderAwayError as error:
            self._failure = str(error)

    def _fetched(self) -> dict[str, jwt.PyJWK]:
        try:
            described = self._fetch(f"{self._issuer}/.well-known/openid-configuration")
            address = described["jwks_uri"]
            if described["issuer"] != self._issuer or not str(address).startswith(f"{self._issuer.split(':')[0]}://"):
                raise ValueError("it describes another issuer")
            found = jwt.PyJWKSet(self._fetch(address)["keys"])
        except _BAD_DOCUMENTS as error:
            raise IdentityProviderAwayError(f"The keys of {self._issuer} cannot be fetched: {error}") from None
        return {key.key_id: key for key in found.keys if isinstance(key.key_id, str)}


def fetch_json(url: str) -> Any:
    """A small JSON document of a provider that the operator has named, wherever it is. No redirect is followed."""
    return json.loads(CheckedHttp(ANY_NETWORK, _TIMEOUT_SECONDS, most_bytes=_MOST_BYTES).get(url))

"""Identity tokens of continuous integration (OpenID Connect): who signed them, and what they say."""

from collections.abc import Mapping
from typing import Any, Protocol


class InvalidIdentityError(Exception):
    """The token is not good. The message says why, and quotes nothing of it."""


class IdentityProviderAwayError(Exception):
    """The provider's keys cannot be fetched now."""


class IdentityProvider(Protocol):
    """Checks signature, issuer, audience and times of a token."""

    def claims_of(self, token: str, audience: str) -> Mapping[str, Any]:
        """The claims of a good token; ``iss``, ``sub``, ``jti``, ``iat`` and ``exp`` are among them.

        Raises ``InvalidIdentityError``, ``IdentityProviderAwayError``.
        """
        ...


class NoIdentityProvider:
    """Stands in for a provider on a hub that accepts no identity tokens."""

    def claims_of(self, token: str, audience: str) -> Mapping[str, Any]:
        """Refuse."""
        del token, audience
        raise InvalidIdentityError("This hub accepts no identity tokens: its operator has named no issuer.")

"""Exchanges an identity token of a CI provider for a token of the hub: one package, fifteen minutes, used once."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from hub_server.accounts import actions as accounts
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.identity_provider import IdentityProviderAwayError, InvalidIdentityError
from hub_server.trusted_publishing import queries
from hub_server.trusted_publishing.errors import IdentityRefusedError, ProviderAwayError
from hub_server.trusted_publishing.models import TrustedPublisherRow
from hub_server.trusted_publishing.rules import (
    LIFETIME_MINUTES,
    Expected,
    is_of_repository,
    owner_id_of,
    repository_in,
    used_key,
    why_not,
)
from schemas.account import TokenCreated
from schemas.trusted_publishers import Provider

_KEPT_AFTER_END = timedelta(hours=1)
"""Longer than any clock is believed to be wrong by."""


def read_identity(services: Services, identity_token: str) -> Mapping[str, Any]:
    """The claims of a good identity token that was meant for this hub. No transaction may be open: keys are fetched.

    Raises ``IdentityRefusedError``, ``ProviderAwayError``.
    """
    audience = services.settings.public_url
    if not audience:
        raise IdentityRefusedError(
            "This hub has no public address (VERIHUB_SERVER_PUBLIC_URL), so no token can be meant for it."
        )
    try:
        return services.identities.claims_of(identity_token, audience)
    except InvalidIdentityError as error:
        raise IdentityRefusedError(str(error)) from None
    except IdentityProviderAwayError as error:
        raise ProviderAwayError(str(error)) from None


def exchange_identity(work: UnitOfWork, package_id: str, claims: Mapping[str, Any]) -> TokenCreated:
    """A token that may publish ``package_id`` and nothing else. Raises ``IdentityRefusedError``."""
    row = _publisher(work, package_id, claims)
    ends = datetime.fromtimestamp(int(claims["exp"]), UTC) + _KEPT_AFTER_END
    if not queries.use_identity(work.session, used_key(claims), ends):
        raise IdentityRefusedError("This identity token was used before: ask the provider for a new one.")
    row.owner_id = row.owner_id or owner_id_of(Provider(row.provider), claims)
    row.last_used_at = work.now
    name = f"{row.provider}: {row.repository}"[:80]
    lifetime = timedelta(minutes=LIFETIME_MINUTES)
    return accounts.issue_publishing_token(work, row.account_id, name, package_id, lifetime)


def _publisher(work: UnitOfWork, package_id: str, claims: Mapping[str, Any]) -> TrustedPublisherRow:
    reasons = []
    for row in queries.publishers_of(work.session, package_id):
        if row.issuer != claims["iss"]:
            continue
        expected = Expected(Provider(row.provider), row.repository, row.workflow, row.environment, row.owner_id)
        reason = why_not(expected, claims)
        if not reason:
            return row
        if is_of_repository(expected, claims):
            reasons.append(reason)
    # Whoever has another repository is told the same of every name: that a publisher is registered would tell of a
    # private package.
    said = "; ".join(dict.fromkeys(reasons)) or f"none is registered for its repository ({repository_in(claims)})"
    raise IdentityRefusedError(f"The token is that of no trusted publisher of {package_id}: {said}.")


def forget_used_identities(work: UnitOfWork) -> None:
    """Delete the ids of tokens that have expired. Called by the worker."""
    queries.forget_used(work.session, work.now)

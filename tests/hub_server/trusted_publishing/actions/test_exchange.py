"""What an exchange leaves: pinned ids, a note of its use, and nothing of the token."""

from datetime import timedelta

import pytest

from hub_server.settings import TrustedPublishingSettings
from hub_server.trusted_publishing import actions
from hub_server.trusted_publishing.errors import IdentityRefusedError
from schemas.trusted_publishers import Provider, TrustedPublisherCreate
from tests.making.action_driver import ActionDriver
from tests.making.identity_provider import GITHUB, Issuer

SUMS = "alice/small-sums"
BODY = TrustedPublisherCreate(provider=Provider.GITHUB, issuer=GITHUB, repository="alice/sums", workflow="release.yml")


@pytest.fixture
def registered(driver: ActionDriver) -> ActionDriver:
    settings = driver.services.settings.model_copy(
        update={"trusted_publishing": TrustedPublishingSettings(issuers=[GITHUB])}
    )
    object.__setattr__(driver.services, "settings", settings)
    driver.do(driver.person("alice"), actions.add_publisher, SUMS, BODY)
    return driver


def test_the_first_token_pins_the_repositorys_own_ids(registered: ActionDriver) -> None:
    registered.do(None, actions.exchange_identity, SUMS, Issuer().claims())
    assert registered.rows("SELECT owner_id FROM trusted_publishers") == [("42/7",)]
    with pytest.raises(IdentityRefusedError, match="somebody else now"):
        registered.do(None, actions.exchange_identity, SUMS, Issuer().claims(2, repository_owner_id="66"))


def test_a_refused_exchange_uses_nothing_up(registered: ActionDriver) -> None:
    claims = Issuer().claims()
    with pytest.raises(IdentityRefusedError):
        registered.do(None, actions.exchange_identity, "alice/other", claims)
    assert registered.do(None, actions.exchange_identity, SUMS, claims).secret


def test_used_tokens_are_remembered_until_they_have_expired(registered: ActionDriver) -> None:
    now = registered.clock.now()
    claims = Issuer().claims(exp=int((now + timedelta(minutes=5)).timestamp()))
    registered.do(None, actions.exchange_identity, SUMS, claims)
    for minutes, left in ((30, 1), (120, 0)):
        registered.clock.advance(minutes * 60)
        registered.do(None, actions.forget_used_identities)
        assert len(registered.rows("SELECT key FROM used_identities")) == left

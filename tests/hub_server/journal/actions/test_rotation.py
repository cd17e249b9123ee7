"""Going on with another key: both sign it, it is in the journal, and clients follow from either side."""

from dataclasses import replace
from pathlib import Path

import pytest

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.journal import actions
from hub_server.journal.actions.keys import journal_origin
from hub_server.kernel.caller import operator
from schemas.journal.entries import Act, decode
from schemas.journal.hub_keys import HubKey, open_envelope
from schemas.journal.key_chain import keys_after, keys_before
from tests.making.action_driver import ActionDriver, person


def key_of(driver: ActionDriver, signer: Ed25519Signer) -> HubKey:
    return HubKey(driver.ask(None, journal_origin), decode(signer.public_key))


@pytest.fixture
def following(tmp_path: Path) -> Ed25519Signer:
    return Ed25519Signer(tmp_path / "following.pem", make=True)


def test_clients_find_the_new_key_from_the_old_one_and_the_other_way_round(driver: ActionDriver, following) -> None:
    driver.publish(driver.person("alice"))
    old = driver.services.signer
    driver.do(operator(), actions.rotate_key, following)
    driver.do(operator(), actions.rotate_key, following)
    driver.services = replace(driver.services, signer=following)
    driver.publish(person("alice"), version="2.0")
    listed = driver.ask(None, actions.list_signing_keys).items
    former, fresh = key_of(driver, old), key_of(driver, following)
    assert keys_after(former, listed) == [fresh]
    assert keys_before(fresh, listed) == [former]
    items = driver.ask(None, actions.list_entries, 0, 10).items
    entries = [open_envelope(item.envelope, [former, fresh]) for item in items]
    assert [entry.act for entry in entries] == [Act.PUBLISH, Act.ROTATE_KEY, Act.PUBLISH], "twice is once"
    assert [item.envelope.signatures[0].keyid for item in items] == [former.id, former.id, fresh.id]


def test_only_the_operator_rotates_and_only_to_a_fresh_key(driver: ActionDriver, following) -> None:
    with pytest.raises(NotAllowedError):
        driver.do(driver.person("alice"), actions.rotate_key, following)
    with pytest.raises(InvalidRequestError, match="already"):
        driver.do(operator(), actions.rotate_key, driver.services.signer)
    old = driver.services.signer
    driver.do(operator(), actions.rotate_key, following)
    driver.services = replace(driver.services, signer=following)
    with pytest.raises(InvalidRequestError, match="signed with this key before"):
        driver.do(operator(), actions.rotate_key, old)

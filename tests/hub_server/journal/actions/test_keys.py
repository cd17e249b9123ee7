"""Keys are remembered when they are first used, and the journal is named by the first of them."""

from dataclasses import replace

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.journal import actions
from hub_server.journal.actions.keys import journal_origin
from tests.making.action_driver import ActionDriver, person


def test_the_journals_name_outlives_the_key(driver: ActionDriver, tmp_path) -> None:
    first = driver.ask(None, journal_origin)
    assert first == f"verihub/{driver.services.signer.key_id}"
    driver.publish(driver.person("alice"))
    driver.services = replace(driver.services, signer=Ed25519Signer(tmp_path / "other.pem", make=True))
    driver.publish(person("alice"), version="2.0")
    assert driver.ask(None, journal_origin) == first


def test_a_key_is_listed_before_it_is_used_and_written_once(driver: ActionDriver) -> None:
    (key,) = driver.ask(None, actions.list_signing_keys).items
    assert (key.first_used_at, key.is_current, key.introduction) == (None, True, "")
    alice = driver.person("alice")
    for version in ("1.0", "2.0"):
        driver.publish(alice, version=version)
    assert len(driver.rows("SELECT id FROM signing_keys")) == 1

"""Keys are remembered when they are first used, and the journal is named by the first of them."""

from dataclasses import replace

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.journal import actions
from hub_server.journal.actions.keys import journal_origin
from tests.making.desk import Desk, person


def test_the_journals_name_outlives_the_key(desk: Desk, tmp_path) -> None:
    first = desk.ask(None, journal_origin)
    assert first == f"verihub/{desk.services.signer.key_id}"
    desk.publish(desk.person("alice"))
    desk.services = replace(desk.services, signer=Ed25519Signer(tmp_path / "other.pem", make=True))
    desk.publish(person("alice"), version="2.0")
    assert desk.ask(None, journal_origin) == first


def test_a_key_is_listed_before_it_is_used_and_written_once(desk: Desk) -> None:
    (key,) = desk.ask(None, actions.list_signing_keys).items
    assert (key.first_used_at, key.is_current, key.introduction) == (None, True, "")
    alice = desk.person("alice")
    for version in ("1.0", "2.0"):
        desk.publish(alice, version=version)
    assert len(desk.rows("SELECT id FROM signing_keys")) == 1

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
from tests.making.desk import Desk, person


def key_of(desk: Desk, signer: Ed25519Signer) -> HubKey:
    return HubKey(desk.ask(None, journal_origin), decode(signer.public_key))


@pytest.fixture
def following(tmp_path: Path) -> Ed25519Signer:
    return Ed25519Signer(tmp_path / "following.pem", make=True)


def test_clients_find_the_new_key_from_the_old_one_and_the_other_way_round(desk: Desk, following) -> None:
    desk.publish(desk.person("alice"))
    old = desk.services.signer
    desk.do(operator(), actions.rotate_key, following)
    desk.do(operator(), actions.rotate_key, following)
    desk.services = replace(desk.services, signer=following)
    desk.publish(person("alice"), version="2.0")
    listed = desk.ask(None, actions.list_signing_keys).items
    former, fresh = key_of(desk, old), key_of(desk, following)
    assert keys_after(former, listed) == [fresh]
    assert keys_before(fresh, listed) == [former]
    items = desk.ask(None, actions.list_entries, 0, 10).items
    entries = [open_envelope(item.envelope, [former, fresh]) for item in items]
    assert [entry.act for entry in entries] == [Act.PUBLISH, Act.ROTATE_KEY, Act.PUBLISH], "twice is once"
    assert [item.envelope.signatures[0].keyid for item in items] == [former.id, former.id, fresh.id]


def test_only_the_operator_rotates_and_only_to_a_fresh_key(desk: Desk, following) -> None:
    with pytest.raises(NotAllowedError):
        desk.do(desk.person("alice"), actions.rotate_key, following)
    with pytest.raises(InvalidRequestError, match="already"):
        desk.do(operator(), actions.rotate_key, desk.services.signer)
    old = desk.services.signer
    desk.do(operator(), actions.rotate_key, following)
    desk.services = replace(desk.services, signer=following)
    with pytest.raises(InvalidRequestError, match="signed with this key before"):
        desk.do(operator(), actions.rotate_key, old)

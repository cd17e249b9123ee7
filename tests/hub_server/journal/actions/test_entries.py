"""Whatever happens to a release is an entry, in the transaction that makes it happen; and nothing else is."""

import json
from base64 import b64decode

import pytest
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from hub_server.journal import actions
from hub_server.kernel.caller import operator
from hub_server.moderation import actions as moderation
from hub_server.publishing import actions as publishing
from schemas.journal.entries import Statement
from tests.making.action_driver import ActionDriver

SUMS = "alice/small-sums"


def acts(driver: ActionDriver) -> list[tuple[str, str | None]]:
    page = driver.ask(None, actions.list_entries, 0, 100)
    entries = [Statement.parse(b64decode(item.envelope.payload)) for item in page.items]
    assert [item.position for item in page.items] == list(range(page.size))
    return [(entry.act.value, entry.version) for entry in entries]


@pytest.fixture
def alice(driver: ActionDriver):
    return driver.person("alice")


def test_a_publish_is_one_entry_with_its_bytes_and_the_same_bytes_again_are_none(driver: ActionDriver, alice) -> None:
    release = driver.publish(alice)
    driver.publish(alice)
    (item,) = driver.ask(None, actions.list_entries, 0, 10).items
    entry = Statement.parse(b64decode(item.envelope.payload))
    assert (entry.package, entry.version, f"sha256:{entry.sha256}") == (SUMS, "1.0.0", release.digest)
    assert entry.at == release.published_at


def test_every_change_of_state_is_an_entry_and_what_changes_nothing_is_none(driver: ActionDriver, alice) -> None:
    driver.publish(alice)
    driver.publish(alice, version="2.0.0")
    driver.do(alice, publishing.yank_release, SUMS, "1.0.0", "broken")
    driver.do(alice, publishing.yank_release, SUMS, "1.0.0", "still broken")
    driver.do(alice, publishing.deprecate_release, SUMS, "1.0.0", "use 2")
    driver.do(alice, publishing.unyank_release, SUMS, "1.0.0")
    driver.do(operator(), moderation.quarantine_release, SUMS, "2.0.0", "malware")
    driver.do(operator(), moderation.take_down_release, SUMS, "2.0.0", "malware")
    driver.do(operator(), moderation.quarantine_package, SUMS, "all of it")
    assert acts(driver) == [
        ("publish", "1.0.0"), ("publish", "2.0.0"), ("yanked", "1.0.0"), ("deprecated", "1.0.0"),
        ("quarantined", "2.0.0"), ("taken_down", "2.0.0"), ("quarantined", "1.0.0"),
    ]  # fmt: skip


def test_no_entry_holds_a_word_or_a_name_of_an_account(driver: ActionDriver, alice) -> None:
    driver.publish(alice)
    driver.do(alice, publishing.yank_release, SUMS, "1.0.0", "call me on 555-1234")
    statements = " ".join(row[0] for row in driver.rows("SELECT statement FROM journal_entries"))
    assert "555" not in statements
    assert set(json.loads(driver.rows("SELECT statement FROM journal_entries")[1][0])["predicate"]) == {
        "act", "at", "package", "version",
    }  # fmt: skip


def test_a_refused_publish_leaves_no_entry(driver: ActionDriver, alice) -> None:
    driver.publish(alice)
    with pytest.raises(Exception, match="never change"):
        driver.publish(alice, code="def verify(**_):\n    return {}\n")
    assert acts(driver) == [("publish", "1.0.0")]


def test_another_library_checks_the_envelope(driver: ActionDriver, alice) -> None:
    driver.publish(alice)
    item = driver.ask(None, actions.list_entries, 0, 1).items[0]
    signer = driver.services.signer
    key = SSlibKey(signer.key_id, "ed25519", "ed25519", {"public": b64decode(signer.public_key).hex()})
    envelope = Envelope.from_dict(item.envelope.model_dump())
    assert envelope.verify([key], 1) == {signer.key_id: key}
    envelope.payload = envelope.payload.replace(b"1.0.0", b"1.0.1")
    with pytest.raises(VerificationError):
        envelope.verify([key], 1)

"""A copied journal: the other hub's entries as they are, shown as far as a checkpoint covers them."""

from datetime import timedelta

import pytest

from hub_server.errors import InvalidRequestError
from hub_server.journal import actions
from hub_server.journal.actions import SealedEntry
from hub_server.journal.actions.entries import add_entry
from schemas.journal.entries import Act, Envelope, JournalCheckpoint, Statement
from schemas.journal.signing_keys import SigningKey
from tests.making.action_driver import ActionDriver, person
from tests.making.journal_hub import NOW, Key

NAME = "verihub/other"


def entries(count: int, key: Key) -> list[SealedEntry]:
    found = []
    for number in range(count):
        said = Statement(act=Act.PUBLISH, package="alice/sums", version=f"1.{number}", sha256="a" * 64, at=NOW)
        found.append(SealedEntry(said, Envelope.read(key.seal(said.statement())), key.public(NAME).id))
    return found


def test_a_copy_is_shown_up_to_its_checkpoint_and_no_further(driver: ActionDriver) -> None:
    settings = driver.services.settings
    mirror = settings.mirror.model_copy(update={"of": "https://origin.test"})
    object.__setattr__(driver.services, "settings", settings.model_copy(update={"mirror": mirror}))
    first, second = Key(1), Key(2)
    keys = [first.public(NAME), second.public(NAME)]
    with driver.writing() as work:
        actions.follow(work.session, "https://origin.test")
        actions.add_copied(work, entries(5, first))
        listed = [
            SigningKey(id=key.id, public_key=key.text, first_used_at=NOW - timedelta(days=n))
            for n, key in enumerate(keys)
        ]
        actions.remember_keys(work, keys, listed)
    with driver.reading() as work:
        assert actions.copied_tree(work).size == 5
        assert actions.followed_keys(work, NAME) == tuple(keys), "in their order, whatever times the other hub tells"
        assert actions.entries_about(work, "alice/sums") == []
    with driver.writing() as work:
        actions.show_until(work, "a note", JournalCheckpoint(NAME, 3, b"r" * 32), keys[1])
        actions.follow(work.session, "https://moved.test")
        add_entry(work, Statement(act=Act.YANKED, package="alice/sums", version="1.0", sha256="a" * 64, at=NOW))
    with driver.reading() as work:
        assert actions.copied_tree(work).size == 5, "a mirror adds nothing of its own"
        assert [one.version for one in actions.entries_about(work, "alice/sums")] == ["1.0", "1.1", "1.2"]
        page = actions.list_entries(work, 2, 100)
        assert (page.size, [item.position for item in page.items], page.checkpoint) == (3, [2], "a note")
        assert [key.is_current for key in actions.list_signing_keys(work).items] == [True, False]
        followed = actions.find_followed(work.session)
        assert followed is not None
        assert (followed.url, followed.name, followed.size) == ("https://moved.test", NAME, 3)


def test_a_hub_with_a_journal_of_its_own_follows_nobody(driver: ActionDriver) -> None:
    driver.person("alice")
    driver.publish(person("alice"))
    with pytest.raises(InvalidRequestError, match="journal of its own"), driver.writing() as work:
        actions.follow(work.session, "https://origin.test")

"""What a deletion leaves, and that it brings nobody a better grade, or other bytes under a known version."""

from datetime import timedelta

import pytest

from hub_server.errors import NotAllowedError, PasswordNeededError
from hub_server.ownership.actions import delete_package, delete_release
from hub_server.ownership.errors import StillUsedError
from hub_server.publishing.errors import VersionExistsError
from tests.making.desk import Desk, caller, person

SUMS = "alice/small-sums"


def test_words_and_bytes_go_and_the_tombstone_stays(desk: Desk) -> None:
    alice = desk.person("alice")
    digest = desk.publish(alice).digest
    desk.run_jobs()
    desk.do(alice, delete_release, SUMS, "1.0.0")
    assert desk.rows("SELECT version, digest, readme, summary FROM releases") == [("1.0.0", digest, "", "")]
    assert desk.rows("SELECT count(*) FROM release_files") == [(0,)]
    assert desk.rows("SELECT act FROM journal_entries ORDER BY position DESC LIMIT 1") == [("taken_down",)]
    assert desk.services.blobs.exists(digest), "an upload of the same bytes may be under way"
    desk.clock.advance(1000)
    desk.run_jobs()
    assert not desk.services.blobs.exists(digest)
    with pytest.raises(VersionExistsError):
        desk.publish(alice, code="# other bytes")


def test_all_or_nothing(desk: Desk) -> None:
    alice = desk.person("alice")
    desk.publish(alice)
    desk.clock.advance(timedelta(hours=73).total_seconds())
    desk.publish(alice, version="1.1.0")
    with pytest.raises(StillUsedError, match=r"1\.0\.0"):
        desk.do(alice, delete_package, SUMS)
    assert desk.rows("SELECT count(*) FROM releases WHERE taken_down_reason IS NOT NULL") == [(0,)]
    desk.do(alice, delete_release, SUMS, "1.1.0")


def test_only_a_person_who_governs_it_deletes(desk: Desk) -> None:
    alice = desk.person("alice")
    desk.person("bob")
    desk.organization("lab", alice="owner", bob="maintainer")
    desk.publish(caller("alice", maintained=frozenset({"lab"})), "lab/sums")
    bob = person("bob", organizations=frozenset({"lab"}), maintained=frozenset({"lab"}))
    with pytest.raises(NotAllowedError):
        desk.do(bob, delete_package, "lab/sums")
    with pytest.raises(PasswordNeededError):
        desk.do(caller("alice"), delete_package, "lab/sums")
    desk.do(alice, delete_package, "lab/sums")

"""What a deletion leaves, and that it brings nobody a better grade, or other bytes under a known version."""

from datetime import timedelta

import pytest

from hub_server.errors import NotAllowedError, PasswordNeededError
from hub_server.moderation import actions as moderation
from hub_server.ownership.actions import delete_package, delete_release
from hub_server.ownership.errors import StillUsedError
from hub_server.publishing.errors import VersionExistsError
from hub_server.runs import actions as runs
from schemas.moderation import Suspension
from schemas.run import PinnedPackage, RunCreate
from tests.making.action_driver import ActionDriver, caller, person
from tests.making.wheel import MANIFEST

SUMS = "alice/small-sums"


def test_words_and_bytes_go_and_the_tombstone_stays(driver: ActionDriver) -> None:
    alice = driver.person("alice")
    digest = driver.publish(alice).digest
    driver.run_jobs()
    driver.do(alice, delete_release, SUMS, "1.0.0")
    assert driver.rows("SELECT version, digest, readme, summary FROM releases") == [("1.0.0", digest, "", "")]
    assert driver.rows("SELECT count(*) FROM release_files") == [(0,)]
    assert driver.rows("SELECT act FROM journal_entries ORDER BY position DESC LIMIT 1") == [("taken_down",)]
    assert driver.services.blobs.exists(digest), "an upload of the same bytes may be under way"
    driver.clock.advance(1000)
    driver.run_jobs()
    assert not driver.services.blobs.exists(digest)
    with pytest.raises(VersionExistsError):
        driver.publish(alice, code="# other bytes")


def test_all_or_nothing(driver: ActionDriver) -> None:
    alice = driver.person("alice")
    driver.publish(alice)
    driver.clock.advance(timedelta(hours=73).total_seconds())
    driver.publish(alice, version="1.1.0")
    with pytest.raises(StillUsedError, match=r"1\.0\.0"):
        driver.do(alice, delete_package, SUMS)
    assert driver.rows("SELECT count(*) FROM releases WHERE taken_down_reason IS NOT NULL") == [(0,)]
    driver.do(alice, delete_release, SUMS, "1.1.0")


def test_only_a_person_who_governs_it_deletes(driver: ActionDriver) -> None:
    alice = driver.person("alice")
    driver.person("bob")
    driver.organization("lab", alice="owner", bob="maintainer")
    driver.publish(caller("alice", maintained=frozenset({"lab"})), "lab/sums")
    bob = person("bob", organizations=frozenset({"lab"}), maintained=frozenset({"lab"}))
    with pytest.raises(NotAllowedError):
        driver.do(bob, delete_package, "lab/sums")
    with pytest.raises(PasswordNeededError):
        driver.do(caller("alice"), delete_package, "lab/sums")
    driver.do(alice, delete_package, "lab/sums")


def test_what_a_hidden_account_built_on_a_release_does_not_keep_it(driver: ActionDriver) -> None:
    """Each fresh release of a victim was pinned by a run, and stayed when the account behind it was suspended."""
    alice, mallory, moda = driver.person("alice"), driver.person("mallory"), driver.person("moda", is_moderator=True)
    release = driver.publish(alice)
    pin = PinnedPackage(package=SUMS, version="1.0.0", digest=release.digest)
    driver.do(mallory, runs.create_run, RunCreate(name="pins it", packages=[pin]))
    needs = MANIFEST.replace('verifier = "alice_small_sums:verify"', f'verifier = "{SUMS}@1.0.0"')
    driver.publish(mallory, "mallory/on-it", manifest=needs)
    driver.run_jobs()
    with pytest.raises(StillUsedError, match=r"1 run .*1 package|1 package.*1 run"):
        driver.do(alice, delete_release, SUMS, "1.0.0")
    driver.do(moda, moderation.suspend_account, "mallory", Suspension(reason="keeps others' releases"))
    with pytest.raises(StillUsedError):
        driver.do(alice, delete_release, SUMS, "1.0.0")
    driver.do(moda, moderation.suspend_account, "mallory", Suspension(reason="and hidden", hide_content=True))
    driver.do(alice, delete_release, SUMS, "1.0.0")

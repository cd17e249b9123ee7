"""What was taken down leaves the store: not at once, never what was not taken down, and nothing brings it back."""

import logging

import pytest

from hub_server.catalog.actions.index import ERASED_AFTER_SECONDS
from hub_server.catalog.errors import WithheldError
from hub_server.catalog.jobs import KINDS
from hub_server.errors import BlobMissingError, StorageUnavailableError
from hub_server.kernel.job_names import JobName
from hub_server.moderation import actions
from tests.making.action_driver import ActionDriver, caller, person
from tests.making.hub import run_jobs

ALICE, MODA = caller("alice"), person("moda", is_moderator=True)
PACKAGE = "alice/small-sums"


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    for name in ("alice", "moda"):
        driver.person(name)
    return driver


def wait_for_erasure(hub: ActionDriver) -> None:
    hub.run_jobs()
    hub.clock.advance(ERASED_AFTER_SECONDS)
    hub.run_jobs()


def test_only_the_bytes_of_the_release_that_was_taken_down_go(hub: ActionDriver) -> None:
    gone, stays = hub.publish(ALICE, version="1.0.0"), hub.publish(ALICE, version="1.1.0")
    blobs, wheels = hub.services.blobs, hub.services.wheels
    kept = wheels.path(gone.digest)
    hub.do(MODA, actions.take_down_release, PACKAGE, "1.0.0", "a court said so")
    hub.run_jobs()
    assert blobs.exists(gone.digest), "an upload of the same bytes may be under way"
    wait_for_erasure(hub)
    assert not blobs.exists(gone.digest)
    assert not kept.exists()
    with pytest.raises(BlobMissingError):
        wheels.contents(gone.digest)
    assert blobs.exists(stays.digest)


def test_a_whole_package_loses_all_its_bytes(hub: ActionDriver) -> None:
    releases = [hub.publish(ALICE, version=version) for version in ("1.0.0", "1.1.0")]
    hub.do(MODA, actions.take_down_package, PACKAGE, "private data")
    wait_for_erasure(hub)
    assert [hub.services.blobs.exists(release.digest) for release in releases] == [False, False]


def test_the_same_bytes_are_refused_afterwards(hub: ActionDriver) -> None:
    hub.publish(ALICE, version="1.0.0")
    hub.do(MODA, actions.take_down_release, PACKAGE, "1.0.0", "a court said so")
    wait_for_erasure(hub)
    with pytest.raises(WithheldError):
        hub.publish(ALICE, version="1.0.0")


def test_a_job_for_a_release_that_stands_erases_nothing(hub: ActionDriver) -> None:
    release = hub.publish(ALICE, version="1.0.0")
    row = hub.rows("SELECT id FROM releases")[0][0]
    with hub.writing(MODA) as work:
        work.queue(JobName.ERASE_BYTES, {"release_id": row})
        work.queue(JobName.ERASE_BYTES, {"release_id": "nowhere"})
    hub.run_jobs()
    assert hub.services.blobs.exists(release.digest)


def test_a_store_that_is_away_is_asked_again(hub: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    release = hub.publish(ALICE, version="1.0.0")
    hub.do(MODA, actions.take_down_release, PACKAGE, "1.0.0", "a court said so")

    def refuse(digest: str) -> None:
        raise StorageUnavailableError("no route")

    with monkeypatch.context() as away:
        away.setattr(hub.services.blobs, "delete", refuse)
        hub.clock.advance(ERASED_AFTER_SECONDS)
        assert run_jobs(hub.services) > 0
    assert hub.services.blobs.exists(release.digest)
    hub.clock.advance(86_400)
    hub.run_jobs()
    assert not hub.services.blobs.exists(release.digest)


def test_an_operator_is_told_of_bytes_that_stay(hub: ActionDriver, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), hub.writing(MODA) as work:
        KINDS[JobName.ERASE_BYTES].give_up(work, "job", {"release_id": "r1"}, "no route")
    assert "r1 could not be erased: no route" in caplog.text

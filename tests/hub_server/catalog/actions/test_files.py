"""Files inside a release: read by their exact path, never from a disk; downloads counted by the day of UTC."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from hub_server.catalog import actions
from hub_server.catalog.errors import FileMissingError, QuarantinedError, ReleaseNotFoundError
from hub_server.moderation.actions import quarantine_release
from schemas.names import digest_of
from tests.fakes.clock import FakeClock
from tests.making.action_driver import ActionDriver, caller, person

PACKAGE, VERSION = "alice/small-sums", "1.0.0"
ALICE, MODA = caller("alice"), person("moda", is_moderator=True)


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    driver.person("alice")
    driver.publish(ALICE, code="def verify(task, response):\n    return {'correct': 1.0}\n")
    return driver


def test_every_file_is_listed_by_path_with_its_size_and_digest(hub: ActionDriver) -> None:
    files = hub.ask(None, actions.list_files, PACKAGE)
    assert [file.path for file in files] == sorted(file.path for file in files)
    for file in files:
        data = hub.ask(None, actions.read_file, PACKAGE, VERSION, file.path)
        assert (len(data), digest_of(data).removeprefix("sha256:")) == (file.size, file.sha256.removeprefix("sha256:"))


@pytest.mark.parametrize(
    "path",
    ["", "/", "..", "../../etc/passwd", "/etc/passwd", "alice_small_sums", "alice_small_sums/", "ALICE_SMALL_SUMS/__init__.py",
     "alice_small_sums/./__init__.py", "alice_small_sums//__init__.py", "alice_small_sums\\__init__.py", "x\x00", "é" * 3000],
)  # fmt: skip
def test_only_the_exact_path_of_a_file_is_read(hub: ActionDriver, path: str) -> None:
    with pytest.raises(FileMissingError):
        hub.ask(ALICE, actions.read_file, PACKAGE, VERSION, path)


def test_a_quarantined_release_shows_which_files_it_has_and_not_their_bytes(hub: ActionDriver) -> None:
    hub.do(MODA, quarantine_release, PACKAGE, VERSION, "steals")
    path = hub.ask(None, actions.list_files, PACKAGE, VERSION)[0].path
    for by in (None, ALICE):
        with pytest.raises(QuarantinedError):
            hub.ask(by, actions.read_file, PACKAGE, VERSION, path)
    assert hub.ask(MODA, actions.read_file, PACKAGE, VERSION, path)


def test_the_readme_is_the_stored_text(hub: ActionDriver) -> None:
    assert "Small sums" in hub.ask(None, actions.get_readme, PACKAGE)
    with pytest.raises(ReleaseNotFoundError):
        hub.ask(None, actions.get_readme, PACKAGE, "2.0.0")


def test_downloads_count_for_the_release_the_package_and_the_day(hub: ActionDriver) -> None:
    for _ in range(2):
        hub.do(None, actions.count_download, PACKAGE, VERSION, "account:alice")
    hub.clock.advance(86400)
    hub.do(None, actions.count_download, PACKAGE, VERSION, "account:alice")
    assert hub.rows("SELECT downloads FROM releases") == hub.rows("SELECT downloads FROM packages") == [(3,)]
    assert hub.ask(None, actions.list_downloads, PACKAGE, days=3) == [0, 2, 1]


def test_a_list_has_a_number_for_every_day_today_last(hub: ActionDriver) -> None:
    assert hub.ask(None, actions.list_downloads, PACKAGE) == [0] * 30
    hub.do(None, actions.count_download, PACKAGE, VERSION, "account:alice")
    assert hub.ask(None, actions.list_downloads, PACKAGE, days=1) == [1]
    assert hub.ask(None, actions.list_downloads, "alice/none", days=2) == [0, 0]


def test_a_day_is_one_of_utc_in_the_count_and_in_the_list(hub: ActionDriver) -> None:
    """At 08:00 in Tokyo it is still yesterday: counted for one day and listed for another, the number was nowhere."""
    morning = datetime(2026, 11, 22, 8, tzinfo=timezone(timedelta(hours=9)))
    hub.services = replace(hub.services, clock=FakeClock(morning))
    hub.do(None, actions.count_download, PACKAGE, VERSION, "account:alice")
    assert morning.astimezone(UTC).day == 21
    assert hub.ask(None, actions.list_downloads, PACKAGE, days=2) == [0, 1]

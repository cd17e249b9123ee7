"""A hub with two packages, one measured, and a mirror of it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from tests.making.action_driver import ActionDriver, open_driver, person, trust_the_disk
from tests.making.catalogue import make_services
from tests.making.mirror import Mirror

ALICE = person("alice")


@pytest.fixture(scope="session")
def filled(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``alice/small-sums`` 1.0.0 and 1.1.0, measured, and ``bob/other``: made once, and copied for each test."""
    folder = tmp_path_factory.mktemp("filled")
    driver = open_driver(folder, sqlite_template)
    driver.person("alice")
    driver.person("bob")
    driver.publish(ALICE)
    driver.publish(ALICE, version="1.1.0")
    driver.publish(person("bob"), "bob/other")
    driver.run_jobs()
    driver.services.close()
    return folder


@pytest.fixture
def origin(filled: Path, tmp_path: Path) -> Iterator[ActionDriver]:
    """The hub that is mirrored, an hour after it was filled."""
    folder = tmp_path / "origin"
    shutil.copytree(filled, folder)
    services = make_services(folder)
    event.listen(services.database.engine, "connect", trust_the_disk)
    driver = ActionDriver(services)
    driver.clock.advance(3600)
    yield driver
    driver.services.close()


@pytest.fixture
def mirror(origin: ActionDriver, tmp_path: Path, sqlite_template: Path) -> Iterator[Mirror]:
    made = Mirror(origin, tmp_path / "mirror", sqlite_template)
    yield made
    made.services.close()

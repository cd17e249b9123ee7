"""A hub with two packages, one measured, and a mirror of it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from tests.making.catalogue import make_services
from tests.making.desk import Desk, open_desk, person, trust_the_disk
from tests.making.mirror import Mirror

ALICE = person("alice")


@pytest.fixture(scope="session")
def filled(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``alice/small-sums`` 1.0.0 and 1.1.0, measured, and ``bob/other``: made once, and copied for each test."""
    folder = tmp_path_factory.mktemp("filled")
    desk = open_desk(folder, sqlite_template)
    desk.person("alice")
    desk.person("bob")
    desk.publish(ALICE)
    desk.publish(ALICE, version="1.1.0")
    desk.publish(person("bob"), "bob/other")
    desk.run_jobs()
    desk.services.close()
    return folder


@pytest.fixture
def origin(filled: Path, tmp_path: Path) -> Iterator[Desk]:
    """The hub that is mirrored, an hour after it was filled."""
    folder = tmp_path / "origin"
    shutil.copytree(filled, folder)
    services = make_services(folder)
    event.listen(services.database.engine, "connect", trust_the_disk)
    desk = Desk(services)
    desk.clock.advance(3600)
    yield desk
    desk.services.close()


@pytest.fixture
def mirror(origin: Desk, tmp_path: Path, sqlite_template: Path) -> Iterator[Mirror]:
    made = Mirror(origin, tmp_path / "mirror", sqlite_template)
    yield made
    made.services.close()

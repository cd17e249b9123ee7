"""A hub with two packages, one measured, and a mirror of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.making.desk import Desk, person
from tests.making.mirror import Mirror

ALICE = person("alice")


@pytest.fixture
def origin(desk: Desk) -> Desk:
    """``alice/small-sums`` 1.0.0 and 1.1.0, measured, and ``bob/other``."""
    desk.person("alice")
    desk.person("bob")
    desk.publish(ALICE)
    desk.publish(ALICE, version="1.1.0")
    desk.publish(person("bob"), "bob/other")
    desk.run_jobs()
    return desk


@pytest.fixture
def mirror(origin: Desk, tmp_path: Path, sqlite_template: Path) -> Iterator[Mirror]:
    made = Mirror(origin, tmp_path / "mirror", sqlite_template)
    yield made
    made.services.close()

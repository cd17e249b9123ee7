"""Whoever makes images talks to an engine through one interface; the engine in memory must be asked like the real one."""

from datetime import UTC, datetime

import pytest

from sandbox.backends.docker.engine import DockerEngine
from sandbox.images.engine import ImageEngine, ImageRecord
from tests.sandbox.images.conftest import MemoryEngine
from tests.sandbox.protocols import differences


@pytest.mark.parametrize("engine", [DockerEngine, MemoryEngine])
def test_every_engine_is_asked_alike(engine: type) -> None:
    assert differences(ImageEngine, engine) == []


def test_records_of_one_image_are_equal_and_share_no_labels() -> None:
    one, other = ImageRecord("sha256:a"), ImageRecord("sha256:a")
    assert one == other
    assert one.labels is not other.labels
    assert one != ImageRecord("sha256:a", used_at=datetime.now(UTC))

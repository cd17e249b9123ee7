"""Images are looked through now and then, not after each build: on an engine with thousands of them it takes seconds."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sandbox.images.growth import Growth
from sandbox.images.image_builder import ensure_image
from sandbox.images.settings import ImageSettings

NOW = datetime(2026, 6, 1, tzinfo=UTC)
BUDGET = ImageSettings(disk_budget_mb=100)


def test_nothing_built_is_no_reason(tmp_path: Path) -> None:
    assert not Growth(tmp_path).is_due(BUDGET, NOW)


def test_a_twentieth_of_the_budget_is_a_reason_whoever_built_it(tmp_path: Path) -> None:
    for _ in range(5):
        Growth(tmp_path).note(2**20, NOW)
    assert not Growth(tmp_path).is_due(BUDGET, NOW)
    Growth(tmp_path).note(1, NOW)
    assert Growth(tmp_path).is_due(BUDGET, NOW)
    Growth(tmp_path).clear()
    Growth(tmp_path).clear()
    assert not Growth(tmp_path).is_due(BUDGET, NOW)


def test_a_small_build_is_a_reason_on_the_next_day(tmp_path: Path) -> None:
    growth = Growth(tmp_path)
    growth.note(1, NOW)
    growth.note(1, NOW + timedelta(hours=20))
    assert not growth.is_due(BUDGET, NOW + timedelta(hours=23))
    assert growth.is_due(BUDGET, NOW + timedelta(hours=25))


@pytest.mark.parametrize("written", [b"17488", b"1748800000 3\n17488", b"\xff\xfe\n", b"1748800000 3 4\n", b"x y\n"])
def test_what_a_killed_writer_left_is_looked_at_once_and_then_right_again(tmp_path: Path, written: bytes) -> None:
    (tmp_path / "built_since_collection").write_bytes(written)
    growth = Growth(tmp_path)
    assert growth.is_due(BUDGET, NOW)
    growth.clear()
    growth.note(1, NOW)
    assert not growth.is_due(BUDGET, NOW)


def test_a_build_asks_the_engine_for_no_other_image(engine, settings, make_source, monkeypatch) -> None:
    """Else each costs more the more images there are: 2.6 s with 2,738 of them on an idle machine."""
    ensure_image(make_source(), engine, settings)
    monkeypatch.setattr(engine, "labelled", lambda _: pytest.fail("a build looked through the images"))
    ensure_image(make_source(code="z = 3\n"), engine, settings)

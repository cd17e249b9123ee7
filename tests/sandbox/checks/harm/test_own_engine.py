"""An engine of one's own: where it can be started, and a disk that is filled and freed."""

from pathlib import Path
from typing import NamedTuple

import pytest

from sandbox.checks.harm import own_engine
from sandbox.checks.harm.own_engine import OwnEngine, what_is_missing
from tests.making.altered_library import alter_library


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def test_only_root_with_all_programs_can_start_one(monkeypatch: pytest.MonkeyPatch) -> None:
    alter_library(monkeypatch, own_engine, "os", getuid=lambda: 1000)
    assert what_is_missing() == "only root can start an engine and mount its disk"
    alter_library(monkeypatch, own_engine, "os", getuid=lambda: 0)
    alter_library(
        monkeypatch, own_engine, "shutil", which=lambda name: None if name == "dockerd" else f"/usr/bin/{name}"
    )
    assert what_is_missing() == "dockerd not installed"


def test_a_disk_is_filled_but_for_what_is_to_be_left_and_freed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = OwnEngine(tmp_path)
    engine.data.mkdir()
    alter_library(monkeypatch, own_engine, "shutil", disk_usage=lambda _: Usage(9 << 20, 5 << 20, 4 << 20))
    engine.fill_disk(leave_mb=6)
    assert not (engine.data / "filler").exists(), "there is less free than that"
    engine.fill_disk(leave_mb=3)
    assert (engine.data / "filler").stat().st_size == 1 << 20
    engine.free_disk()
    engine.free_disk()
    assert list(engine.data.iterdir()) == []


def test_boxes_that_the_engine_lists_and_does_not_find_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = OwnEngine(tmp_path)
    said = {"ps": "abc\ndef\n", "abc": "abc\n", "def": ""}  # what it does not find is an error, which is not printed
    monkeypatch.setattr(engine, "docker", lambda *words, check=True: said["ps" if words[0] == "ps" else words[-1]])
    assert engine.boxes_to_remove() == ["abc"]


@pytest.mark.docker
def test_it_has_a_network_of_its_own(own_engine: OwnEngine) -> None:
    """An engine without a bridge deletes the machine's ``docker0``: harm once cut off every container of a machine."""
    assert Path(f"/proc/{own_engine.pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()

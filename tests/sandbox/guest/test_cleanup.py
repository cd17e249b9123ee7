import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.guest import cleanup
from sandbox.guest.cleanup import remove, wipe
from tests.making.altered_library import alter_library


def test_an_empty_folder_is_clean(tmp_path: Path) -> None:
    assert wipe(str(tmp_path))


def test_everything_goes_and_no_link_is_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    work = tmp_path / "work"
    (work / "a" / "b").mkdir(parents=True)
    (work / "a" / "b" / "file").write_text("x")
    (work / "out").symlink_to(outside)
    (work / "file-link").symlink_to(outside / "kept")
    os.mkfifo(work / "pipe")
    (work / "a" / "b").chmod(0)
    (work / "a").chmod(0)
    assert wipe(str(work))
    assert list(work.iterdir()) == []
    assert (outside / "kept").read_text() == "x"


def test_a_tree_that_is_too_deep_is_reported_instead_of_followed(tmp_path: Path) -> None:
    (tmp_path / "/".join(["d"] * 40)).mkdir(parents=True)
    assert not wipe(str(tmp_path))


def test_a_folder_that_was_closed_from_inside_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "family" / "s1").mkdir(parents=True)
    (tmp_path / "family" / "s1").chmod(0)
    (tmp_path / "family").chmod(0)
    assert remove(str(tmp_path / "family"))
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_a_folders_place_is_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    assert remove(str(tmp_path / "link"))
    assert (tmp_path / "kept" / "file").read_text() == "x"


def test_what_is_gone_already_is_removed(tmp_path: Path) -> None:
    assert remove(str(tmp_path / "nothing"))
    assert remove(str(tmp_path / "nothing" / "deeper"))


@pytest.mark.parametrize("clean", [wipe, remove])
def test_what_somebody_else_removes_meanwhile_keeps_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clean: Callable[[str], bool]
) -> None:
    work = tmp_path / "work"
    for name in ("one", "two", "three"):
        (work / name).mkdir(parents=True)
        (work / name / "file").write_text("x")
    list_names = os.listdir

    def listed_and_then_lost(folder: int | str) -> list[str]:
        names = sorted(list_names(folder))
        if "one" in names and isinstance(folder, int):
            shutil.rmtree(work / "one")
        return names

    alter_library(monkeypatch, cleanup, "os", listdir=listed_and_then_lost)
    assert clean(str(work))
    monkeypatch.undo()
    assert list(tmp_path.rglob("*")) == ([work] if clean is wipe else [])

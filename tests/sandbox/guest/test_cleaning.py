import os
from pathlib import Path

from sandbox.guest.cleaning import wipe


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

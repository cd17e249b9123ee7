"""Files of a solution: names that may not leave its folder, and what is left behind, small, regular and read once."""

import errno
import os
from pathlib import Path

import pytest

from sandbox.guest import solution_files
from sandbox.guest.solution_files import BadFilesError, collect_files, write_files
from tests.making.altered_library import alter_library


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "a//b", "./x", "", "a/", "a\0b", "n" * 300])
def test_a_name_that_leaves_the_folder_or_is_none_is_the_verifiers_fault(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadFilesError):
        write_files(str(tmp_path), {name: "text"})


def test_a_file_and_a_folder_of_one_name_are_the_verifiers_fault(tmp_path: Path) -> None:
    with pytest.raises(BadFilesError, match="could not be written"):
        write_files(str(tmp_path), {"a": "1", "a/b": "2"})


def test_a_box_that_cannot_write_is_no_fault_of_the_verifier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "input/output error")

    alter_library(monkeypatch, solution_files, "os", makedirs=broken)
    with pytest.raises(OSError, match="input/output") as caught:
        write_files(str(tmp_path), {"x": "y"})
    assert not isinstance(caught.value, BadFilesError)


def test_what_is_new_or_changed_is_collected_and_no_link_pipe_or_binary(tmp_path: Path) -> None:
    sent = {"kept.txt": "same", "deep/er/changed.txt": "before"}
    write_files(str(tmp_path), sent)
    (tmp_path / "deep/er/changed.txt").write_text("after")
    (tmp_path / "new.txt").write_text("new")
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "folder-link").symlink_to("/etc")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    os.mkfifo(tmp_path / "pipe")
    assert collect_files(str(tmp_path), sent) == {"new.txt": "new", "deep/er/changed.txt": "after"}


def test_files_and_bytes_beyond_the_limits_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solution_files, "_FILES_BYTES", 100)
    (tmp_path / "large").write_text("x" * 101)
    (tmp_path / "a").write_text("x" * 60)
    (tmp_path / "b").write_text("x" * 60)
    (tmp_path / "c").write_text("x" * 30)
    assert set(collect_files(str(tmp_path), {})) == {"a", "c"}
    monkeypatch.setattr(solution_files, "_FILE_COUNT", 1)
    assert set(collect_files(str(tmp_path), {})) == {"a"}


def test_folders_below_each_other_without_end_are_no_error(tmp_path: Path) -> None:
    at = tmp_path
    for _ in range(100):
        at /= "d"
    at.mkdir(parents=True)
    (at / "deep.txt").write_text("too deep")
    (tmp_path / "near.txt").write_text("near")
    assert collect_files(str(tmp_path), {}) == {"near.txt": "near"}

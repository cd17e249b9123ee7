import errno
import os
from pathlib import Path

import pytest

from sandbox.guest import solution_streams
from sandbox.guest.solution_streams import _file_with, first_bytes, standard_streams
from tests.making.altered_library import alter_library


def test_a_file_system_without_unnamed_files_will_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = os.open

    def without(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(errno.EOPNOTSUPP, "no such thing here")
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.chdir(tmp_path)
    alter_library(monkeypatch, solution_streams, "os", open=without)
    number = _file_with(b"text")
    assert os.read(number, 10) == b"text"
    os.close(number)
    assert not list(tmp_path.iterdir())


def test_streams_can_be_seeked_whatever_this_process_has_under_their_numbers() -> None:
    """What they are connected to later can; here it may be a pipe."""
    before = [os.fstat(number).st_ino for number in range(3)]
    assert [(stream.fileno(), stream.seekable(), stream.encoding) for stream in standard_streams()] == [
        (number, True, "utf-8") for number in range(3)
    ]
    assert [os.fstat(number).st_ino for number in range(3)] == before


def test_no_more_is_read_than_a_file_holds_and_may_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    number = os.open(tmp_path / "file", os.O_RDONLY)
    assert (len(first_bytes(number, 10)), len(first_bytes(number, 1 << 40))) == (10, 100)
    os.close(number)

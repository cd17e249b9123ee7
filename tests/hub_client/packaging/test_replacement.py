"""A project has its old files or its new ones, whatever happens in between."""

import errno
import json
import os
import signal
from pathlib import Path

import pytest
from filelock import FileLock

from hub_client.errors import ConflictError
from hub_client.packaging.replacement import FOLDER, replace_files, undo_replacement
from tests.sandbox.guest.forked import ending_of

OLD = {"pyproject.toml": b"old", "src/maze/__init__.py": b"old", "src/maze/gone/__init__.py": b"old"}
NEW = {"pyproject.toml": b"new", "src/maze/__init__.py": b"new", "src/maze/parts/more.py": b"new"}
GONE = "src/maze/gone/__init__.py"
MINE = {"notes.txt": b"mine", "src/maze/own.py": b"mine"}

AFTER = {path: data for path, data in {**OLD, **MINE, **NEW}.items() if path != GONE}


@pytest.fixture
def target(tmp_path) -> Path:
    for path, data in {**OLD, **MINE}.items():
        (tmp_path / "maze" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "maze" / path).write_bytes(data)
    return tmp_path / "maze"


def held(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def folders(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir()}


def killed_at(call: str, number: int, target: Path) -> int:
    """Exchange in a child that a SIGKILL ends before its call ``number`` of that name."""

    def work() -> None:
        owner, name = (os, call.removeprefix("os.")) if call.startswith("os.") else (Path, call)
        plain, calls = getattr(owner, name), iter(range(10**6))

        def call_or_die(*arguments, **options):
            if next(calls) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return plain(*arguments, **options)

        setattr(owner, name, call_or_die)
        replace_files(target, NEW, [GONE])

    return ending_of(work)


def test_new_files_take_the_place_of_old_ones_and_others_stay(target) -> None:
    replace_files(target, NEW)
    assert held(target) == {**OLD, **MINE, **NEW}
    assert not (target / FOLDER).exists()


def test_what_goes_is_removed_with_the_exchange_and_what_is_not_there_is_no_error(target) -> None:
    replace_files(target, NEW, [GONE, "src/maze/never.py"])
    assert held(target) == AFTER


@pytest.mark.parametrize("call", ["replace", "unlink", "write_bytes", "mkdir", "os.link"])
def test_after_a_kill_at_any_moment_the_project_is_the_old_one_or_the_new_one(target, call) -> None:
    before = folders(target)
    for number in range(60):
        ended = killed_at(call, number, target)
        undo_replacement(target)
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
        assert held(target) in ({**OLD, **MINE}, AFTER), number
        if held(target) == {**OLD, **MINE}:
            assert folders(target) == before, number
    assert number > 0, "the call was never reached"
    assert held(target) == AFTER


def test_a_kill_while_the_old_files_are_put_back_is_made_good_by_the_next_reader(target) -> None:
    assert killed_at("replace", 3, target) == -signal.SIGKILL

    def work() -> None:
        plain = Path.replace

        def once(self, other):
            plain(self, other)
            os.kill(os.getpid(), signal.SIGKILL)

        Path.replace = once
        undo_replacement(target)

    assert ending_of(work) == -signal.SIGKILL
    assert held(target) != {**OLD, **MINE}
    undo_replacement(target)
    assert held(target) == {**OLD, **MINE}


@pytest.mark.parametrize("number", range(4))
def test_on_a_full_disk_nothing_is_changed_and_nothing_is_left(target, monkeypatch, number) -> None:
    plain, calls = Path.write_bytes, iter(range(10**6))

    def full(self, data):
        if target.parent in self.parents and next(calls) == number:
            plain(self, data[:1])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
        return plain(self, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        replace_files(target, NEW)
    assert held(target) == {**OLD, **MINE}


@pytest.mark.parametrize("error", [PermissionError, KeyboardInterrupt])
def test_an_error_in_the_middle_puts_everything_back(target, monkeypatch, error) -> None:
    plain, calls = Path.replace, iter(range(10**6))

    def fail(self, other):
        if target.parent in self.parents and next(calls) == 2:
            raise error
        return plain(self, other)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(error):
        replace_files(target, NEW)
    assert held(target) == {**OLD, **MINE}


def test_a_folder_in_a_files_place_is_refused_before_anything_is_changed(target) -> None:
    with pytest.raises(ConflictError, match="is a folder, and a file has to be there"):
        replace_files(target, {**NEW, "src/maze/gone": b"new"})
    with pytest.raises(ConflictError, match="is a file, and a folder has to be there"):
        replace_files(target, {**NEW, "notes.txt/more": b"new"})
    assert held(target) == {**OLD, **MINE}


def test_what_another_process_is_exchanging_is_not_undone(target) -> None:
    (target / FOLDER).mkdir()
    with FileLock(target / FOLDER / "lock"), pytest.raises(ConflictError, match="another process"):
        undo_replacement(target)


def test_a_link_is_replaced_and_what_it_points_to_is_not_written(target, tmp_path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"elsewhere")
    (target / "pyproject.toml").unlink()
    (target / "pyproject.toml").symlink_to(tmp_path / "elsewhere")
    assert killed_at("replace", 3, target) == -signal.SIGKILL
    undo_replacement(target)
    assert (target / "pyproject.toml").is_symlink()
    replace_files(target, NEW)
    assert (target / "pyproject.toml").read_bytes() == b"new"
    assert (tmp_path / "elsewhere").read_bytes() == b"elsewhere"


# -- a project that somebody else wrote ------------------------------------------------------------------------------


@pytest.mark.parametrize("link", ["src", "src/deeper"])
def test_an_update_of_a_strangers_project_writes_no_file_outside_of_it(tmp_path: Path, link: str) -> None:
    """``src`` may be a link to a folder of the user's, and the new files would replace those there."""
    mine, target = tmp_path / "mine", tmp_path / "target"
    (mine / "deeper").mkdir(parents=True)
    (mine / "deeper" / "__init__.py").write_text("mine")
    (mine / "__init__.py").write_text("mine")
    (target / link).parent.mkdir(parents=True)
    (target / link).symlink_to(mine)
    with pytest.raises(ConflictError, match=r"outside of .*, by a link"):
        replace_files(target, {"README.md": b"new", "src/deeper/__init__.py": b"new", "src/deeper/new.py": b"new"})
    assert held(mine) == {"__init__.py": b"mine", "deeper/__init__.py": b"mine"}
    assert not (target / "README.md").exists()
    assert not (target / FOLDER).exists()


def left_by_a_stranger(target: Path, begun: str) -> Path:
    (target / FOLDER / "old").mkdir(parents=True)
    (target / FOLDER / "begun.json").write_text(begun)
    return target / FOLDER


@pytest.mark.parametrize(
    "path", ["../treasure.txt", "{root}/treasure.txt", "src/../../treasure.txt", "away/treasure.txt"]
)
def test_a_strangers_project_removes_no_file_outside_of_it(target: Path, tmp_path: Path, path: str) -> None:
    """Reading a project is enough to put an exchange back, and it may come from anywhere."""
    (tmp_path / "treasure.txt").write_text("mine")
    (target / "away").symlink_to(tmp_path)
    left_by_a_stranger(target, json.dumps([path.format(root=tmp_path)]))
    before = held(target)
    with pytest.raises(ConflictError, match="nothing was put back"):
        undo_replacement(target)
    assert (tmp_path / "treasure.txt").read_text() == "mine"
    assert held(target).keys() >= before.keys()


def test_a_strangers_project_writes_no_file_outside_of_it(target: Path, tmp_path: Path) -> None:
    (target / "away").symlink_to(tmp_path)
    place = left_by_a_stranger(target, "[]")
    (place / "old" / "away").mkdir()
    (place / "old" / "away" / "treasure.txt").write_text("theirs")
    with pytest.raises(ConflictError, match="nothing was put back"):
        undo_replacement(target)
    assert not (tmp_path / "treasure.txt").exists()


@pytest.mark.parametrize("link", [FOLDER, f"{FOLDER}/old"])
def test_a_strangers_project_takes_no_file_from_outside_of_it(target: Path, tmp_path: Path, link: str) -> None:
    treasury = tmp_path / "treasury"
    (treasury / "old").mkdir(parents=True)
    (treasury / "treasure.txt").write_text("mine")
    (treasury / "begun.json").write_text("[]")
    if link != FOLDER:
        left_by_a_stranger(target, "[]")
        (target / FOLDER / "old").rmdir()
    (target / link).symlink_to(treasury)
    with pytest.raises(ConflictError, match="nothing was put back"):
        undo_replacement(target)
    assert held(treasury) == {"treasure.txt": b"mine", "begun.json": b"[]"}


def test_a_strangers_project_empties_no_file_outside_of_it(target: Path, tmp_path: Path) -> None:
    """The file of a lock is emptied when it is opened."""
    (tmp_path / "treasure.txt").write_text("mine")
    (left_by_a_stranger(target, "[]") / "lock").symlink_to(tmp_path / "treasure.txt")
    with pytest.raises(ConflictError, match="nothing was put back"):
        undo_replacement(target)
    assert (tmp_path / "treasure.txt").read_text() == "mine"


@pytest.mark.parametrize("begun", ["", "{", "{}", "[1]", "7"])
def test_what_cannot_be_read_is_said_and_nothing_is_lost(target: Path, begun: str) -> None:
    """A loss of power may leave an empty file."""
    before = held(target)
    left_by_a_stranger(target, begun)
    with pytest.raises(ConflictError, match="damaged"):
        undo_replacement(target)
    assert held(target).items() >= before.items()

"""The disk that power was lost on: what was synced is there, what was not may be, and nothing else is."""

from dataclasses import replace
from pathlib import Path

import pytest

from scripts.power_loss_disk import SECTOR, Disk, Op, spread, write_out

ROOT = Path("/hub")
LOSE, KEEP = (lambda: False), (lambda: True)


def write(path: str, data: bytes, offset: int = 0) -> Op:
    return Op("write", f"/hub/{path}", offset=offset, data=data)


def sync(path: str) -> Op:
    return Op("sync", f"/hub/{path}".rstrip("/"))


def test_bytes_last_from_their_sync_on_and_a_name_from_that_of_its_folder_on() -> None:
    ops = [Op("create", "/hub/a"), write("a", b"one"), sync("a"), sync(""), write("a", b"two", 3)]
    disk = Disk(ROOT, ops)
    assert disk.after(2, LOSE) == {}
    assert disk.after(3, LOSE) == {}, "its bytes are safe, its name is not"
    assert disk.after(4, LOSE) == {"/hub/a": b"one"}
    assert disk.after(5, LOSE) == {"/hub/a": b"one"}
    assert disk.after(5, KEEP) == {"/hub/a": b"onetwo"}
    assert disk.after(1, KEEP) == {"/hub/a": b""}


def test_a_later_write_may_last_where_an_earlier_one_does_not() -> None:
    disk = Disk(ROOT, [Op("create", "/hub/a"), sync(""), write("a", b"head"), write("a", b"tail", 4)])
    kept = iter([False, True])
    assert disk.after(4, lambda: next(kept)) == {"/hub/a": b"\0\0\0\0tail"}


def test_a_rename_is_kept_or_lost_as_one() -> None:
    ops = [
        Op("create", "/hub/new"), write("new", b"2"), sync("new"), Op("create", "/hub/a"), write("a", b"1"), sync("a"),
        sync(""), Op("rename", "/hub/new", "/hub/a"),
    ]  # fmt: skip
    disk = Disk(ROOT, ops)
    assert disk.after(8, LOSE) == {"/hub/new": b"2", "/hub/a": b"1"}
    assert disk.after(8, KEEP) == {"/hub/a": b"2"}
    assert Disk(ROOT, [*ops, sync("")]).after(9, LOSE) == {"/hub/a": b"2"}


def test_a_link_has_the_bytes_of_its_file_and_outlives_the_first_name() -> None:
    ops = [Op("create", "/hub/.a"), write(".a", b"x"), sync(".a"), Op("link", "/hub/.a", "/hub/a")]
    disk = Disk(ROOT, [*ops, Op("unlink", "/hub/.a"), sync("")])
    assert disk.after(6, LOSE) == {"/hub/a": b"x"}


def test_a_file_in_a_folder_that_is_lost_is_lost() -> None:
    ops = [Op("mkdir", "/hub/d"), Op("create", "/hub/d/a"), write("d/a", b"x"), sync("d/a"), sync("d")]
    assert Disk(ROOT, ops).after(5, LOSE) == {}
    assert Disk(ROOT, [*ops, sync("")]).after(6, LOSE) == {"/hub/d": None, "/hub/d/a": b"x"}


def test_a_file_cut_short_may_be_long_yet() -> None:
    ops = [Op("create", "/hub/a"), sync(""), write("a", b"long"), sync("a"), Op("truncate", "/hub/a", size=1)]
    assert [Disk(ROOT, ops).after(5, keeps)["/hub/a"] for keeps in (LOSE, KEEP)] == [b"long", b"l"]


def test_a_write_that_ends_while_a_sync_runs_is_not_made_last_by_it() -> None:
    ops = [Op("create", "/hub/a"), sync(""), write("a", b"one"), write("a", b"two", 3)]
    disk = Disk(ROOT, [*ops, replace(sync("a"), began_after=3)])
    assert disk.after(5, LOSE) == {"/hub/a": b"one"}
    assert Disk(ROOT, [*ops, replace(sync("a"), began_after=3), sync("a")]).after(6, LOSE) == {"/hub/a": b"onetwo"}


def test_a_file_that_moves_between_folders_is_lost_where_only_the_old_one_was_synced() -> None:
    made = [Op("mkdir", "/hub/d"), Op("create", "/hub/a"), write("a", b"x"), sync("a"), sync("")]
    moved = [*made, Op("rename", "/hub/a", "/hub/d/a")]
    assert Disk(ROOT, [*moved, sync("")]).after(7, LOSE) == {"/hub/d": None}
    assert Disk(ROOT, [*moved, sync("d")]).after(7, LOSE) == {"/hub/d": None, "/hub/a": b"x", "/hub/d/a": b"x"}
    assert Disk(ROOT, [*moved, sync("d"), sync("")]).after(8, LOSE) == {"/hub/d": None, "/hub/d/a": b"x"}


def test_a_write_that_was_not_synced_may_be_torn_between_sectors() -> None:
    disk = Disk(
        ROOT,
        [Op("create", "/hub/a"), sync(""), write("a", b"-" * SECTOR * 2), sync("a"), write("a", b"x" * SECTOR, 100)],
    )
    kept = iter([True, False])
    torn = disk.after(5, lambda: next(kept))["/hub/a"]
    assert torn == b"-" * 100 + b"x" * (SECTOR - 100) + b"-" * SECTOR
    assert disk.after(5, KEEP)["/hub/a"] == b"-" * 100 + b"x" * SECTOR + b"-" * (SECTOR - 100)


def test_what_lies_elsewhere_is_left_out_and_acknowledgements_have_their_moment() -> None:
    ops = [Op("create", "/tmp/x"), write("a", b"x"), Op("ack", "/ack", "it is published"), Op("create", "/hubris")]
    disk = Disk(ROOT, ops)
    assert disk.acknowledged == [(3, "it is published")]
    assert disk.moments == [2]


def test_files_of_a_moment_are_laid_down(tmp_path: Path) -> None:
    write_out({"/hub/d": None, "/hub/d/a": b"x", "/hub/e": None}, ROOT, tmp_path)
    assert (tmp_path / "d/a").read_bytes() == b"x"
    assert (tmp_path / "e").is_dir()


@pytest.mark.parametrize(("count", "expected"), [(3, [3, 6, 10]), (20, list(range(1, 11)))])
def test_moments_are_spread_evenly_and_the_last_is_among_them(count: int, expected: list[int]) -> None:
    assert spread(list(range(1, 11)), count) == expected

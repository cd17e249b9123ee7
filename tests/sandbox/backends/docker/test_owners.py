"""Locks that say who lives, in a folder that nobody else can make for us."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.backends.docker.owners import (
    UIDS_PER_OWNER,
    Owner,
    dead_owners,
    folder_id,
    is_owner_alive,
    remove_sockets_of_the_dead,
    uids_of,
)
from sandbox.errors import SandboxUnavailableError
from sandbox.settings import _default_state_folder
from tests.making.small_disk import mounted_disk


def test_owners_on_one_machine_have_different_locks_and_uids(tmp_path: Path) -> None:
    first, second = Owner(tmp_path), Owner(tmp_path)
    assert first.lock_path != second.lock_path
    uids = {first.take_uid(), first.take_uid(), second.take_uid()}
    assert len(uids) == 3
    assert min(uids) >= 0x7000_0000
    assert max(uids) < 2**31, "what engines take"
    assert is_owner_alive(first.lock_path, first.claim)
    first.close()
    assert not is_owner_alive(first.lock_path, first.claim)
    assert is_owner_alive(second.lock_path, second.claim)
    second.close()


def test_a_lock_that_is_not_there_has_no_owner(tmp_path: Path) -> None:
    assert not is_owner_alive(tmp_path / "owner-9.lock", "")


def test_whoever_takes_the_lock_of_an_owner_that_ended_does_not_keep_its_boxes_alive(tmp_path: Path) -> None:
    first = Owner(tmp_path)
    first.close()
    later = Owner(tmp_path)
    assert later.lock_path == first.lock_path
    assert not is_owner_alive(first.lock_path, first.claim)
    assert is_owner_alive(later.lock_path, later.claim)
    assert is_owner_alive(later.lock_path, ""), "a box of an older Verihub told no claim"
    later.close()
    assert not is_owner_alive(later.lock_path, "")


def test_two_who_ask_at_once_whether_an_owner_lives_do_not_take_each_other_for_it(tmp_path: Path) -> None:
    """The boxes of a dead owner stayed when two processes reaped at once: each saw the other's lock."""
    gone = Owner(tmp_path)
    gone.close()
    for lock_path in dead_owners(tmp_path):
        assert not is_owner_alive(lock_path, gone.claim)
        assert list(dead_owners(tmp_path)) == [lock_path]
        later = Owner(tmp_path)
        assert later.lock_path != lock_path, "no new owner takes it while somebody looks"
        later.close()


def test_a_full_disk_takes_no_number_from_later_owners(tmp_path: Path) -> None:
    """Each try held one more lock until its process ended, and after 128 it was said that so many processes run."""
    with mounted_disk(tmp_path / "small", "16k") as folder:
        state = folder / "state"
        earlier = Owner(state)
        earlier.close()
        with (folder / "filling").open("wb", buffering=0) as filling, suppress(OSError):
            while True:
                filling.write(b"x" * 512)
        held = Owner(state)
        assert held.lock_path == earlier.lock_path, "a claim in place of an earlier one needs no room"
        for _ in range(3):
            with pytest.raises(OSError, match="No space"):
                Owner(state)
        (folder / "filling").unlink()
        next_owner = Owner(state)
        assert next_owner.lock_path.name == "owner-1.lock"
        next_owner.close()
        held.close()


_CLAIMS = """
import random, sys, time
from pathlib import Path
from sandbox.backends.docker.owners import Owner, is_owner_alive

ended = []
for _ in range(60):
    owner = Owner(Path(sys.argv[1]))
    assert is_owner_alive(owner.lock_path, owner.claim), "it lives"
    time.sleep(random.random() / 1000)
    assert is_owner_alive(owner.lock_path, owner.claim), "it lives, whoever looked"
    owner.close()
    ended.append((owner.lock_path, owner.claim))
time.sleep(0.1)  # whoever takes a lock has written its claim by then
assert not any(is_owner_alive(path, claim) for path, claim in ended), "none of them lives"
"""


def test_owners_that_come_and_go_at_once_are_told_apart(tmp_path: Path) -> None:
    running = [subprocess.Popen([sys.executable, "-c", _CLAIMS, str(tmp_path)]) for _ in range(3)]
    assert [process.wait(120) for process in running] == [0, 0, 0]


def test_a_uid_is_used_again_only_after_it_came_back(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    taken = [owner.take_uid() for _ in range(UIDS_PER_OWNER)]
    with pytest.raises(SandboxUnavailableError, match="max_boxes"):
        owner.take_uid()
    owner.return_uid(taken[7])
    assert owner.take_uid() == taken[7]
    owner.close()


def test_a_folder_has_one_id_and_another_folder_another(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert folder_id(tmp_path) == folder_id(tmp_path) != folder_id(tmp_path / "other")
    first, second = Owner(tmp_path), Owner(tmp_path)
    assert first.folder_id == second.folder_id == folder_id(tmp_path)
    first.close()
    second.close()


def test_a_copy_of_a_folder_is_another_folder(tmp_path: Path) -> None:
    """Made of one image, two machines would else have boxes of the same user ids, and reap each other's live ones."""
    first = Owner(tmp_path / "state")
    shutil.copytree(tmp_path / "state", tmp_path / "copy")
    copy = Owner(tmp_path / "copy")
    assert copy.folder_id != first.folder_id
    assert copy.take_uid() != first.take_uid()
    first.close()
    copy.close()


def test_a_folder_that_others_may_write_to_or_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("open", "link"):
        with pytest.raises(SandboxUnavailableError, match="VERIHUB_SANDBOX_STATE_FOLDER"):
            Owner(tmp_path / name)


@pytest.mark.parametrize("name", ["owner-0.lock", "id"])
def test_a_link_in_place_of_a_file_of_ours_is_not_followed(tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    (folder / name).symlink_to(victim)
    with pytest.raises(OSError, match=r"symbolic links|Too many levels"):
        Owner(folder)
    assert victim.read_text() == "precious"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_that_somebody_else_made_first_is_refused_and_truncates_nothing(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    planted = tmp_path / "state"
    planted.mkdir(mode=0o700)
    (planted / "owner-0.lock").symlink_to(victim)
    os.chown(planted, 1234, 1234)
    with pytest.raises(SandboxUnavailableError, match="belongs to another user"):
        Owner(planted)
    assert victim.read_text() == "precious"


def test_by_itself_the_folder_lies_where_only_its_user_may_write(tmp_path: Path) -> None:
    own = tmp_path / "user" / str(os.getuid()) if os.getuid() else tmp_path
    own.mkdir(mode=0o700, parents=True, exist_ok=True)
    assert _default_state_folder(tmp_path) == own / "verihub-sandbox"
    assert _default_state_folder(tmp_path / "none").name == f"verihub-sandbox-{os.getuid()}"


def test_sockets_of_an_owner_that_was_killed_are_removed_and_those_of_the_living_stay(tmp_path: Path) -> None:
    dead, alive = Owner(tmp_path), Owner(tmp_path)
    folders = [owner.lock_path.with_suffix(".sockets") for owner in (dead, alive)]
    for folder in (*folders, tmp_path / "owner-7.sockets"):
        (folder / "box").mkdir(parents=True)
        (folder / "box" / "line").write_text("")
    dead.close()  # as the kernel does for it
    remove_sockets_of_the_dead(tmp_path)
    assert [folder.exists() for folder in folders] == [False, True]
    assert (tmp_path / "owner-7.sockets").exists(), "no owner has that number"
    remove_sockets_of_the_dead(tmp_path / "not there")
    alive.close()


def test_the_uids_of_a_dead_owner_are_known_by_its_lock_and_nobody_takes_them_meanwhile(tmp_path: Path) -> None:
    """Boxes that run as one of them are ended: they must not be a new owner's."""
    dead, alive = Owner(tmp_path), Owner(tmp_path)
    taken = {dead.take_uid() for _ in range(3)}
    dead.close()
    (tmp_path / "owner-x.lock").write_text("")
    seen = []
    for lock_path in dead_owners(tmp_path):
        seen.append(lock_path)
        assert taken <= set(uids_of(lock_path, folder_id(tmp_path)))
        later = Owner(tmp_path)
        assert later.lock_path not in {lock_path, alive.lock_path}
        assert later.take_uid() not in uids_of(lock_path, folder_id(tmp_path))
        later.close()
    assert seen == [dead.lock_path]
    alive.close()


def test_an_owner_knows_which_of_its_uids_no_box_has(tmp_path: Path) -> None:
    owner, few = Owner(tmp_path), Owner(tmp_path, has_few_uids=True)
    used = {owner.take_uid(), owner.take_uid()}
    assert len(owner.unused_uids()) == UIDS_PER_OWNER - 2
    assert not owner.unused_uids() & used
    assert owner.unused_uids() | used == set(uids_of(owner.lock_path, owner.folder_id))
    assert few.unused_uids() == set(), "the engine maps them to others, and these may be people's"
    owner.close()
    few.close()


def test_owners_with_other_lock_files_have_other_uids_though_both_are_the_first(tmp_path: Path) -> None:
    """The kernel counts pipes, inotify and processes per uid: one client's boxes would starve the other's."""
    for has_few_uids, most in ((False, 2**31), (True, 65_536)):
        taken: list[set[int]] = []
        for name in ("one", "other"):
            folder = tmp_path / f"{name}-{has_few_uids}"
            folder.mkdir(mode=0o700)
            (folder / "id").write_text(name)  # else random: of the few, one pair in 177 would be the same
            owner = Owner(folder, has_few_uids=has_few_uids)
            taken.append({owner.take_uid() for _ in range(UIDS_PER_OWNER)})
            owner.close()
        assert not taken[0] & taken[1]
        assert max(taken[0] | taken[1]) < most
        assert min(taken[0] | taken[1]) >= 20_000

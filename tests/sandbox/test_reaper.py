from pathlib import Path

import pytest

from sandbox.errors import SandboxUnavailableError
from sandbox.owners import FIRST_UID, UIDS_PER_OWNER, Owner, is_owner_alive
from sandbox.reaper import BOOT, EXPIRES, OWNER, FoundBox, why_orphan

NOW = 1_000_000.0


def box(
    *, state: str = "running", age: float = 10, boot: str = "b", expires: object = NOW + 50, owner: str = "/l"
) -> FoundBox:
    return FoundBox("id", state, NOW - age, {BOOT: boot, EXPIRES: str(expires), OWNER: owner})


@pytest.mark.parametrize(
    ("found", "is_alive", "reason"),
    [
        (box(), True, None),
        (box(state="created", age=5), True, None),
        (box(), False, "owner is gone"),
        (box(boot="other"), True, "last start"),
        (box(expires=NOW - 1), True, "past its time"),
        (box(expires="never"), True, "past its time"),
        (box(state="created", age=61), True, "never started"),
        (box(state="exited", age=5), True, None),
        (box(state="exited", age=61), True, "has ended"),
        (box(state="dead", age=4000), True, "has ended"),
        (box(state="running", age=4000), True, None),
    ],
)
def test_a_box_is_an_orphan_when_nobody_can_want_it(found: FoundBox, is_alive: bool, reason: str | None) -> None:
    why = why_orphan(found, now=NOW, boot_id="b", is_alive=lambda _: is_alive)
    assert why is None if reason is None else reason in str(why)


def test_owners_on_one_machine_have_different_locks_and_uids(tmp_path: Path) -> None:
    first, second = Owner(tmp_path), Owner(tmp_path)
    assert first.lock_path != second.lock_path
    uids = {first.take_uid(), first.take_uid(), second.take_uid()}
    assert len(uids) == 3
    assert min(uids) >= FIRST_UID
    assert is_owner_alive(first.lock_path)
    first.close()
    assert not is_owner_alive(first.lock_path)
    assert is_owner_alive(second.lock_path)
    second.close()


def test_a_lock_that_is_not_there_has_no_owner(tmp_path: Path) -> None:
    assert not is_owner_alive(tmp_path / "owner-9.lock")


def test_a_uid_is_used_again_only_after_it_came_back(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    taken = [owner.take_uid() for _ in range(UIDS_PER_OWNER)]
    with pytest.raises(SandboxUnavailableError, match="max_boxes"):
        owner.take_uid()
    owner.return_uid(taken[7])
    assert owner.take_uid() == taken[7]
    owner.close()

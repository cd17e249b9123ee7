"""Who owns boxes on this machine: a lock file that is held while the process lives, and the uids that belong to it."""

import fcntl
import hashlib
import os
import shutil
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path

from sandbox.errors import SandboxUnavailableError

UIDS_PER_OWNER = 256  # chosen: one for each box, more than one machine runs at a time
_ALL_UIDS = (0x7000_0000, 1 << 20)
"""(the first, how many owners): ids that systemd lists as unused by any system."""
_FEW_UIDS = (20_000, 177)
"""Where the engine maps a container's ids to 65,536 of its user's."""
_MAX_OWNERS = 128  # chosen, not measured
_OPEN = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW


class Owner:
    """One process's claim: the first free ``owner-N.lock``. The kernel releases it when the process ends in any way.

    Limits on processes, keys, signals, pipes and inotify are counted per uid over all containers, so every box gets its
    own uid. Owners that share these lock files have different ones by their number; owners with other lock files, of
    which we know nothing, by the folder's random id: 1 in 1,048,576 pairs of them meet, or 1 in 177 with
    ``has_few_uids``.
    """

    def __init__(self, folder: Path, *, has_few_uids: bool = False) -> None:
        make_private(folder)
        self.folder_id = folder_id(folder)
        """Distinguishes owners that share these lock files from owners elsewhere that use the same engine."""
        for number in range(_MAX_OWNERS):
            path = folder / f"owner-{number}.lock"
            descriptor = os.open(path, _OPEN | os.O_CREAT, 0o600)
            if _try_lock(descriptor, fcntl.LOCK_EX):
                self.claim = uuid.uuid4().hex
                """Distinguishes this owner from earlier and later ones that held the same lock file."""
                try:
                    _write_claim(descriptor, self.claim)
                except OSError:  # the disk is full: a lock that stays held would take the number for good
                    os.close(descriptor)
                    raise
                self.lock_path = path
                self._descriptor = descriptor
                self._first_uid = _first_uid(self.folder_id, number, *(_FEW_UIDS if has_few_uids else _ALL_UIDS))
                self._has_few_uids = has_few_uids
                self._used: set[int] = set()
                return
            os.close(descriptor)
        raise SandboxUnavailableError(
            f"{_MAX_OWNERS} processes hold sandboxes on this machine ({folder}): end some of them"
        )

    def take_uid(self) -> int:
        """A uid that no other live box on this machine has. Give it back with :meth:`return_uid`."""
        for slot in range(UIDS_PER_OWNER):
            if slot not in self._used:
                self._used.add(slot)
                return self._first_uid + slot
        raise SandboxUnavailableError(f"this process has {UIDS_PER_OWNER} boxes already: lower max_boxes")

    def return_uid(self, uid: int) -> None:
        """Return the uid of a box that is gone."""
        self._used.discard(uid - self._first_uid)

    def unused_uids(self) -> set[int]:
        """Uids that nobody else has and no box of ours. None where an engine maps them to others of this machine."""
        if self._has_few_uids:
            return set()
        used = self._used.copy()
        return {self._first_uid + slot for slot in range(UIDS_PER_OWNER) if slot not in used}

    def close(self) -> None:
        """Release the lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _first_uid(folder: str, number: int, first: int, owners: int) -> int:
    place = int.from_bytes(hashlib.sha256(folder.encode()).digest()) + number
    return first + place % owners * UIDS_PER_OWNER


def make_private(folder: Path) -> None:
    """Make ``folder``, or check that nobody else may write to it. Raises SandboxUnavailableError.

    Its name can be guessed, and its parent may be writable by everybody. So somebody else could have created it first.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022:
        return
    raise SandboxUnavailableError(
        f"{folder} is a link, belongs to another user, or others may write to it, so locks in it prove nothing: remove "
        "it, or set VERIHUB_SANDBOX_STATE_FOLDER to a folder of your own"
    )


def folder_id(folder: Path) -> str:
    """A name for this folder: random, made at first use, and where its file lies.

    The same path on another machine is another folder, and so is a copy: a machine or a container that was made of an
    image with such a folder in it shares no locks with the others that were.
    """
    descriptor = os.open(folder / "id", _OPEN | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        found = os.read(descriptor, 64).decode("ascii", "replace")
        if not found:
            found = uuid.uuid4().hex
            os.write(descriptor, found.encode())
        facts = os.fstat(descriptor)
        return f"{found}-{facts.st_dev:x}-{facts.st_ino:x}"
    finally:
        os.close(descriptor)


def dead_owners(folder: Path) -> Iterator[Path]:
    """The lock of each owner below ``folder`` that has ended. No new owner takes it while the caller looks at it."""
    for lock_path in folder.glob("owner-*.lock"):
        if not lock_path.stem.removeprefix("owner-").isdecimal():
            continue
        try:
            descriptor = os.open(lock_path, _OPEN)
        except OSError:
            continue
        try:
            if _try_lock(descriptor, fcntl.LOCK_SH):
                yield lock_path
        finally:
            os.close(descriptor)


def remove_sockets_of_the_dead(folder: Path) -> None:
    """Remove what owners that were killed left beside their locks below ``folder``: one that ends does so itself."""
    for lock_path in dead_owners(folder):
        shutil.rmtree(lock_path.with_suffix(".sockets"), ignore_errors=True)


def uids_of(lock_path: Path, folder: str) -> range:
    """The uids of the owner with this lock, in the folder with this id, where an engine does not map them."""
    first = _first_uid(folder, int(lock_path.stem.removeprefix("owner-")), *_ALL_UIDS)
    return range(first, first + UIDS_PER_OWNER)


def is_owner_alive(lock_path: Path, claim: str) -> bool:
    """True while the owner with this ``claim`` holds the lock at ``lock_path``.

    A later owner takes the first free lock file. What an earlier one left is not the later one's. An empty claim is
    anybody's who holds the lock: boxes of Verihub 0.9 and before tell none.
    """
    try:
        descriptor = os.open(lock_path, _OPEN)
    except OSError:
        return False
    try:
        # The lock first: who holds it has written its claim by the time it has a box.
        return not _try_lock(descriptor, fcntl.LOCK_SH) and claim in (
            "",
            os.read(descriptor, 64).decode("ascii", "replace"),
        )
    finally:
        os.close(descriptor)


def _write_claim(descriptor: int, claim: str) -> None:
    """In place of an earlier one, which has as many letters: a full disk has room for it."""
    os.pwrite(descriptor, claim.encode(), 0)
    os.ftruncate(descriptor, len(claim))


def _try_lock(descriptor: int, kind: int) -> bool:
    """Owners take the lock alone (``LOCK_EX``). Whoever asks whether one lives shares it (``LOCK_SH``) with others who
    ask, which would else see each other for an owner.
    """
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

"""Which boxes are orphans. This is decided from their labels alone, so any process may clean up after any other.

Several machines, and containers with their own file systems, may use one engine. A process on another host than the
box's owner, or with another folder of lock files, cannot tell whether the owner lives. It leaves the box alone until
the box's time is over.
"""

import hashlib
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

LABEL = "verihub.sandbox"
OWNER = "verihub.sandbox.owner"
"""Path of the owner's lock file."""
CLAIM = "verihub.sandbox.claim"
"""What the owner wrote in its lock file: a later owner may hold the same file."""
FOLDER = "verihub.sandbox.folder"
"""Id of the folder that the lock file lies in."""
HOST = "verihub.sandbox.host"
"""Id of the host that the owner runs on: a folder may be shared by hosts, and locks and boots are not."""
BOOT = "verihub.sandbox.boot"
ROLE = "verihub.sandbox.role"
PACKAGE = "verihub.sandbox.package"
RESOURCES = "verihub.sandbox.resources"
EXPIRES = "verihub.sandbox.expires"
"""Seconds since the epoch after which nobody can still need the box."""

_UNSTARTED_SECONDS = 60  # chosen: far longer than a busy engine takes between create and start
_ENDED = ("exited", "dead")
"""Boxes normally remove themselves when they end, but an engine that was killed does not remove them."""


@dataclass(frozen=True)
class ClientHost:
    """Where a client runs. It must match a box's owner in order to judge whether the owner lives."""

    host_id: str
    boot_id: str
    folder_id: str

    def labels(self) -> dict[str, str]:
        """The labels for boxes of an owner on this host."""
        return {HOST: self.host_id, BOOT: self.boot_id, FOLDER: self.folder_id}


@dataclass(frozen=True)
class FoundBox:
    """One of our containers, as the engine lists it.

    ``state`` is the engine's word, such as created, running or exited.
    """

    ident: str
    state: str
    created_at: float
    labels: Mapping[str, str]


def why_orphan(box: FoundBox, *, now: float, here: ClientHost, is_alive: Callable[[Path, str], bool]) -> str | None:
    """Why nobody needs ``box`` any more, or None while somebody may."""
    labels = box.labels
    if _number(labels.get(EXPIRES, "")) < now:
        return "it is past its time"
    if box.state in _ENDED and now - box.created_at > _UNSTARTED_SECONDS:
        return "it has ended"
    if (labels.get(HOST), labels.get(FOLDER)) != (here.host_id, here.folder_id):  # of an owner elsewhere
        return None
    if labels.get(BOOT) != here.boot_id:
        return "it is from before the machine's last start"
    if box.state == "created" and now - box.created_at > _UNSTARTED_SECONDS:
        return "it was never started"
    if not is_alive(Path(labels.get(OWNER, "")), labels.get(CLAIM, "")):
        return "its owner is gone"
    return None


def boot_id() -> str:
    """The kernel's id of this boot of the machine."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "unknown"


def host_id() -> str:
    """A name for this host: of its machine id, where it has one, and of its host name, which each container has."""
    try:
        machine = Path("/etc/machine-id").read_text().strip()
    except OSError:
        machine = ""
    return hashlib.sha256(f"{machine}\n{socket.gethostname()}".encode()).hexdigest()[:16]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0

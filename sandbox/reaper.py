"""Which boxes are orphans: decided from their labels alone, so that any process may clean up after any other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

LABEL = "verihub.sandbox"
OWNER = "verihub.sandbox.owner"
"""Path of the owner's lock file."""
BOOT = "verihub.sandbox.boot"
ROLE = "verihub.sandbox.role"
PACKAGE = "verihub.sandbox.package"
POLICY = "verihub.sandbox.policy"
EXPIRES = "verihub.sandbox.expires"
"""Seconds since the epoch, after which nobody can still want the box."""

_UNSTARTED_SECONDS = 60
_ENDED = ("exited", "dead")
"""Boxes remove themselves when they end; an engine that was killed forgets to."""


@dataclass(frozen=True)
class FoundBox:
    """One container of ours, as the engine lists it; ``state`` is created, running, exited or another of its words."""

    ident: str
    state: str
    created_at: float
    labels: Mapping[str, str]


def why_orphan(box: FoundBox, *, now: float, boot_id: str, is_alive: Callable[[Path], bool]) -> str | None:
    """Why nobody wants ``box`` any more, or None while somebody may."""
    labels = box.labels
    if labels.get(BOOT) != boot_id:
        return "it is from before the machine's last start"
    if _number(labels.get(EXPIRES, "")) < now:
        return "it is past its time"
    if box.state == "created" and now - box.created_at > _UNSTARTED_SECONDS:
        return "it was never started"
    if box.state in _ENDED and now - box.created_at > _UNSTARTED_SECONDS:
        return "it has ended"
    if not is_alive(Path(labels.get(OWNER, ""))):
        return "its owner is gone"
    return None


def boot_id() -> str:
    """The kernel's name for this run of the machine."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "unknown"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0

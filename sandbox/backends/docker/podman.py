"""Changes to requests for podman's Docker-compatible socket. Each one answers a measured failure.

Podman accepts the same requests as Docker, with small differences. Boxes have the same limits there, except for the one
named below.
"""

from collections.abc import Mapping
from importlib import resources
from typing import Any

_LIMITS = {name: {"Name": name, "Soft": 4096, "Hard": 4096} for name in ("nofile", "nproc")}
"""More than any box has: the guest sets lower ones for calls, and ``PidsLimit`` counts a box's processes."""
_UNKNOWN_TO_PODMAN = ("nr_inodes=", "uid=", "gid=")
"""Options of a tmpfs. Without ``nr_inodes`` the box's memory bounds how many files a call may make."""


def is_podman(version: Mapping[str, Any]) -> bool:
    """Whether the engine that gave this answer to ``/version`` is podman."""
    return any(part.get("Name") == "Podman Engine" for part in version.get("Components") or ())


def plain_name(reference: str) -> str:
    """An image's name as we gave it: podman puts a registry before names that have none."""
    return reference.removeprefix("localhost/").removeprefix("docker.io/")


def adapt(config: Mapping[str, Any]) -> dict[str, Any]:
    """A container's configuration, made fit for podman.

    - A seccomp profile is a file that podman reads; Docker takes its text. So podman must run on this machine.
    - Unknown options of a tmpfs are an error.
    - Limits that nobody names become the kernel's highest, which podman may have no right to set.
    """
    host = config.get("HostConfig") or {}
    named = {limit["Name"]: limit for limit in host.get("Ulimits") or ()}
    adapted = {
        **host,
        "Ulimits": list({**_LIMITS, **named}.values()),
        "SecurityOpt": [_with_file(option) for option in host.get("SecurityOpt") or ()],
    }
    if "Tmpfs" in host:
        adapted["Tmpfs"] = {place: _known(options) for place, options in host["Tmpfs"].items()}
    return {**config, "HostConfig": adapted}


def _with_file(option: str) -> str:
    if not option.startswith("seccomp="):
        return option
    return f"seccomp={resources.files('sandbox.backends.docker').joinpath('seccomp.json')}"


def _known(options: str) -> str:
    return ",".join(option for option in options.split(",") if not option.startswith(_UNKNOWN_TO_PODMAN))

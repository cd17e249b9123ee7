"""What an engine lacks for boxes, according to its own description. The doctor reports it, and no box is opened.

An engine that cannot enforce a limit often drops it and only warns. Boxes would then run without it.
"""

from collections.abc import Mapping
from typing import Any

ROOTLESS_ADVICE = (
    "rootless Docker has limits only on cgroup v2 with systemd (docs.docker.com/engine/security/rootless): boot so, "
    "or use an engine run by root"
)


def what_is_missing(information: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(fact, what to do) for each thing that boxes need and the engine lacks. ``information``: its answer to /info."""
    missing = []
    is_rootless = "rootless" in options_of(information)
    for name, what in (("MemoryLimit", "memory"), ("PidsLimit", "pids")):
        if not information.get(name):
            kernel = f"give the kernel its {what} cgroup controller (boot with cgroup_enable={what})"
            advice = ROOTLESS_ADVICE if is_rootless else kernel
            missing.append((f"the engine cannot limit {what}", f"boxes need it: {advice}"))
    if "seccomp" not in options_of(information):
        advice = "use an engine and a kernel built with seccomp: boxes rely on it"
        missing.append(("the engine has no seccomp", advice))
    return missing


def can_limit_cpu(information: Mapping[str, Any]) -> bool:
    """Whether the engine can keep a box to so many processors; many small boards and rootless engines cannot."""
    return bool(information.get("CpuCfsQuota")) and bool(information.get("CpuCfsPeriod"))


def maps_users(information: Mapping[str, Any]) -> bool:
    """Whether a container's user ids are others outside, of which a user usually has 65,536."""
    options = options_of(information)
    return "rootless" in options or "userns" in options


def options_of(information: Mapping[str, Any]) -> str:
    """The engine's security options as one text."""
    found = information.get("SecurityOptions")
    return " ".join(str(option) for option in found) if isinstance(found, list) else ""

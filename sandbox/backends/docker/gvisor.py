"""Changes to a box's configuration for gVisor (``runsc``). Each one answers a measured failure.

gVisor's kernel is itself a process in the box's control group, so its needs are added to the box's limits.
"""

import json
from typing import Any

from sandbox.interface import BoxResources

_HEADROOM_MB = 256
"""gVisor's kernel and its file server; a fork copies more there (about 8 MB a bare child)."""
_THREADS_EACH, _THREADS = 4, 256
"""Host threads for each process of the box, and for gVisor itself; with 48 for all, boxes died under a plain batch."""


def is_gvisor(runtime: str | None) -> bool:
    """Whether boxes run on gVisor: engines name its runtime ``runsc``, with a suffix where there are several."""
    return runtime is not None and runtime.startswith(("runsc", "gvisor"))


def adapt(config: dict[str, Any], resources: BoxResources, profile: str) -> dict[str, Any]:
    """The engine's ``HostConfig`` of a box, adapted to gVisor.

    - Processes are limited inside (``nproc``; the box has its own user ids), because at the outer limit the whole box
      dies.
    - No ``/proc``: gVisor lets any process of the same user open ``/proc/1/fd/*``, which includes the zygote's
      connection to the host.
    - ``clone3`` is left to gVisor, which reports that it lacks it. When a profile refuses a call, gVisor returns EPERM.
      The C library then does not fall back to ``clone``, and no thread can be started.
    """
    memory = config["Memory"] + (_HEADROOM_MB << 20)
    return {
        **config,
        "Memory": memory,
        "MemorySwap": memory,
        "PidsLimit": resources.process_count * _THREADS_EACH + _THREADS,
        "Ulimits": [{"Name": "nproc", "Soft": resources.process_count, "Hard": resources.process_count}],
        "Tmpfs": {**config["Tmpfs"], "/proc": "ro,noexec,nosuid,nodev,size=4k,mode=0555"},
        "SecurityOpt": ["no-new-privileges", f"seccomp={_without_clone3(profile)}"],
    }


def _without_clone3(profile: str) -> str:
    """``profile`` with ``clone3`` allowed."""
    rules = json.loads(profile)
    for group in rules["syscalls"]:
        if group["names"] == ["clone3"]:
            group.update(action="SCMP_ACT_ALLOW")
            group.pop("errnoRet", None)
    return json.dumps(rules)

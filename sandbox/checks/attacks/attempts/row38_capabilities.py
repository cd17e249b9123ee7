"""No capability, no supplementary group, nothing in the environment."""

from sandbox.checks.attacks.attempt import Attempt

ATTEMPT = Attempt(
    program="""
import os
import ctypes, struct
libc = ctypes.CDLL(None, use_errno=True)
sets = ctypes.create_string_buffer(24)
asked = libc.syscall(125, struct.pack("<Ii", 0x20080522, 0), sets)  # capget: effective, permitted, inheritable, twice
info["capabilities"] = any(sets.raw) if asked == 0 else f"not told: {ctypes.get_errno()}"
info["bounding"] = [number for number in range(41) if libc.prctl(23, number, 0, 0, 0) > 0]
info["root_group"] = 0 in os.getgroups() or os.getgid() == 0
info["root"] = os.getuid() == 0
own = {"PATH", "LANG", "HOME", "HOSTNAME", "LC_CTYPE", "PYTHONHASHSEED", "TERM", "container"}
info["environment"] = sorted(set(os.environ) - own)
""",
    is_safe=lambda v: (
        ""
        if v.info
        == {
            "capabilities": False,
            "bounding": [],
            "root_group": False,
            "root": False,
            "environment": [],
        }
        else f"recorded {v.info} {v.error}"
    ),
)

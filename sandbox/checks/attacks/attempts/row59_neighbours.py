"""No process of another box or the host is visible."""

from sandbox.checks.attacks.attempt import Attempt

ATTEMPT = Attempt(
    program="""
import os
info["pids"] = sorted(int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid()))
""",
    is_safe=lambda v: "" if v.info == {"pids": []} else f"ended as {v}",
)

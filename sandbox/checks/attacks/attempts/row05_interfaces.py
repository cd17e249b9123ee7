"""Only the loopback interface is visible."""

from sandbox.checks.attacks.attempt import Attempt, records

ATTEMPT = Attempt(
    program="""
import os
known = "/proc/net/dev"
lines = open(known).readlines() if os.path.exists(known) else [name + ":" for name in os.listdir("/sys/class/net")]
info["interfaces"] = sorted(line.split(":")[0].strip() for line in lines if ":" in line)
""",
    is_safe=records(interfaces=["lo"]),
)

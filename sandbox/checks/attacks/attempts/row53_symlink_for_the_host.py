"""A link left in the folder is never followed by anybody outside."""

from sandbox.checks.attacks.attempt import Attempt, completes

ATTEMPT = Attempt(
    program="""
import os
for name in ("result.json", "output", "log"):
    os.symlink("/etc/shadow", "/tmp/" + name)
""",
    is_safe=completes,
)

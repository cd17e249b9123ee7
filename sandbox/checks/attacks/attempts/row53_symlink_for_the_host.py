"""Symbolic links in the work folder are not followed by the host."""

from sandbox.checks.attacks.attempt import Attempt, completes

ATTEMPT = Attempt(
    program="""
import os
for name in ("result.json", "output", "log"):
    os.symlink("/etc/shadow", "/tmp/" + name)
""",
    is_safe=completes,
)

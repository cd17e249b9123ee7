"""A tree of folders that is deeper than the longest path is wiped, or the box is replaced."""

from sandbox.checks.attacks.attempt import Attempt, completes

ATTEMPT = Attempt(
    program="""
import os
for _ in range(600):
    os.mkdir("d")
    os.chdir("d")
""",
    is_safe=completes,
)

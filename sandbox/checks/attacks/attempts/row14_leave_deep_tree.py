"""A tree deeper than a path may be long: wiped, or the box replaced."""

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

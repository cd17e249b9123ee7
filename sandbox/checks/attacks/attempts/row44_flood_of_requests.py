"""Requests for a solution without end."""

from sandbox.checks.attacks.attempt import Attempt
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "while True:\n    line.send(b'a' + b'x' * 60000)\n",
    is_safe=lambda v: "" if v.rewards == {"correct": None} else f"ended as {v}",
)

"""A last answer from a fork that stays alive."""

from sandbox.checks.attacks.attempt import Attempt
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply({'rewards': {'correct': 1.0}}, mark=b'E'))\ntime.sleep(5)\n",
    is_safe=lambda v: "" if v.rewards == {"correct": None} else f"ended as {v}",
)

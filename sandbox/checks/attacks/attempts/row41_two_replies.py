"""Two answers to one call: neither counts."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply({'rewards': {'correct': 1.0}}))\n",
    is_safe=fails(FAILED, words="twice"),
)

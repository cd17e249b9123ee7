"""An answer to another call of the same call group."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply({'rewards': {'correct': 1.0}}, index=1))\n",
    is_safe=fails(FAILED),
)

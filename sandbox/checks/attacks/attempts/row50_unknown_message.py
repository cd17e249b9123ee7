"""A kind of message that does not exist."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(b'?')\ntime.sleep(5)\n",
    is_safe=fails(FAILED),
)

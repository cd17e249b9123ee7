"""An empty message, which looks like the end of the connection."""

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(b'')\ntime.sleep(60)\n",
    is_safe=fails(TIMEOUT),
    ends_by_clock=True,
)

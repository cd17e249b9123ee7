"""Half a header, then silence."""

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(b'R\\x01\\x00')\ntime.sleep(60)\n",
    is_safe=fails(TIMEOUT),
    ends_by_clock=True,
)

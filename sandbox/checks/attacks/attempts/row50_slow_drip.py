"""One byte every 0.2 s."""

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "while True:\n    line.send(b'Rx')\n    time.sleep(0.2)\n",
    is_safe=fails(TIMEOUT),
    ends_by_clock=True,
)

"""A reply without end is cut off."""

from sandbox.checks.attacks.attempt import FAILED, OUTPUT, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "while True:\n    line.send(b'R' + b'x' * 60000)\n",
    is_safe=fails(OUTPUT, FAILED),
)

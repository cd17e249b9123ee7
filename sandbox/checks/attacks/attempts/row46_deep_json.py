"""A reply nested 400 000 deep."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE
    + "for part in [reply(b'[' * 60000, length=400000)] + [b'R' + b'[' * 60000] * 5 + [b'R' + b'[' * 40000]:\n"
    "    line.send(part)\nos._exit(0)\n",
    is_safe=fails(FAILED),
)

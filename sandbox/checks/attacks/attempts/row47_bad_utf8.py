"""A reply that is not valid UTF-8."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply(b'\\xff\\xfe{\"rewards\"', mark=b'E'))\nos._exit(0)\n",
    is_safe=fails(FAILED),
)

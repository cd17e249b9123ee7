"""A package that calls its own failure ours, to be run again until lucky."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply({'error': {'kind': 'host', 'message': 'sorry'}}, mark=b'E'))\nos._exit(0)\n",
    is_safe=fails(FAILED),
)

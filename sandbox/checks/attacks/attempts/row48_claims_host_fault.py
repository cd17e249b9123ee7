"""A package that reports its own failure as the host's, so that its call is run again."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply({'error': {'kind': 'host', 'message': 'sorry'}}, mark=b'E'))\nos._exit(0)\n",
    is_safe=fails(FAILED),
)

"""An answer without the end mark, and a clean exit."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply({'rewards': {'correct': 1.0}}))\nos._exit(0)\n",
    is_safe=fails(FAILED, words="without returning"),
)

"""A verdict without its reward, sent without the guest's own checks."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply({'rewards': {}}, mark=b'E'))\nos._exit(0)\n",
    is_safe=fails(FAILED, words="correct"),
)

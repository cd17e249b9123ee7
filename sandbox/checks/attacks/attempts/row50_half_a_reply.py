"""Half a reply, then a clean exit."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply(b'{\"rew', length=100))\nos._exit(0)\n",
    is_safe=fails(FAILED),
)

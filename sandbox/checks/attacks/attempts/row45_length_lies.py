"""A length of four gigabytes."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply(b'{}', length=0xFFFFFFFF, mark=b'E'))\nos._exit(0)\n",
    is_safe=fails(FAILED),
)

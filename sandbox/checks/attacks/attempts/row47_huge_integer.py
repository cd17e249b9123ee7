"""An integer of 100 000 digits."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "line.send(reply(b'{\"rewards\": {\"correct\": ' + b'1' * 50000 + b'}}', mark=b'E'))\nos._exit(0)\n",
    is_safe=fails(FAILED),
)

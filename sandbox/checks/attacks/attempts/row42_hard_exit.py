"""os._exit(0) is no verdict."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="import os\nos._exit(0)\n",
    is_safe=fails(FAILED),
)

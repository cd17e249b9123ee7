"""sys.exit(0) inside a verifier is no verdict."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="import sys\nsys.exit(0)\n",
    is_safe=fails(FAILED),
)

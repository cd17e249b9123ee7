"""KeyboardInterrupt is no verdict."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="raise KeyboardInterrupt\n",
    is_safe=fails(FAILED),
)

"""KeyboardInterrupt is no verdict."""

from sandbox.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="raise KeyboardInterrupt\n",
    is_safe=fails(FAILED),
)

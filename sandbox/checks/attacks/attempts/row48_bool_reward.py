"""A boolean as a reward."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="reward = True\n",
    is_safe=fails(FAILED, words="bool"),
)

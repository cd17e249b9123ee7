"""A reward that is a truth value."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="reward = True\n",
    is_safe=fails(FAILED, words="bool"),
)

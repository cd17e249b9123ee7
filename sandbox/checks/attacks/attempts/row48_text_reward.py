"""A reward that is text."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="reward = '1.0'\n",
    is_safe=fails(FAILED, words="str"),
)

"""A reward of 1e308."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="reward = 1e308\n",
    is_safe=fails(FAILED, words="range"),
)

"""Infinity as a reward."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="reward = float('inf')\n",
    is_safe=fails(FAILED, words="inf"),
)

"""NaN as a reward."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="reward = float('nan')\n",
    is_safe=fails(FAILED, words="nan"),
)

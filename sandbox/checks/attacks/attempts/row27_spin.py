"""A loop that never ends."""

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, fails

ATTEMPT = Attempt(
    program="while True:\n    pass\n",
    is_safe=fails(TIMEOUT),
    ends_by_clock=True,
)

"""Printing gigabytes costs nothing."""

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, fails

ATTEMPT = Attempt(
    program="while True:\n    print('x' * 100000)\n",
    is_safe=fails(TIMEOUT),
    ends_by_clock=True,
)

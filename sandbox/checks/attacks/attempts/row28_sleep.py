"""Sleeping past the deadline."""

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, fails

ATTEMPT = Attempt(
    program="import time\ntime.sleep(60)\n",
    is_safe=fails(TIMEOUT),
    ends_by_clock=True,
)

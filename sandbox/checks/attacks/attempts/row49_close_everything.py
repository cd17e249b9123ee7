"""Closing every descriptor and staying."""

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, fails

ATTEMPT = Attempt(
    program="import os, time\nos.closerange(0, 4096)\ntime.sleep(60)\n",
    is_safe=fails(TIMEOUT),
    ends_by_clock=True,
)

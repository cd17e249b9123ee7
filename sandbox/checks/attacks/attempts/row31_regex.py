"""Catastrophic backtracking."""

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, fails

ATTEMPT = Attempt(
    program="import re\nre.match(r'(a+)+$', 'a' * 64 + 'b')\n",
    is_safe=fails(TIMEOUT),
    ends_by_clock=True,
)

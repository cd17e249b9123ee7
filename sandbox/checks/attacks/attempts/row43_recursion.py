"""Endless recursion in C ends the call only."""

from sandbox.checks.attacks.attempt import FAILED, MEMORY, TIMEOUT, Attempt, fails

ATTEMPT = Attempt(
    program="import sys\nsys.setrecursionlimit(10 ** 9)\ndef f():\n    f()\nf()\n",
    is_safe=fails(FAILED, MEMORY, TIMEOUT),
    ends_by_clock=True,
)

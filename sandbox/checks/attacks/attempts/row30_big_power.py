"""A computation in C that holds the interpreter's lock."""

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, fails

ATTEMPT = Attempt(
    program="7 ** (7 ** 9)",
    is_safe=fails(TIMEOUT),
    ends_by_clock=True,
)

"""A segmentation fault ends the call only."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails

ATTEMPT = Attempt(
    program="import ctypes\nctypes.string_at(0)\n",
    is_safe=fails(FAILED, words="11"),
)

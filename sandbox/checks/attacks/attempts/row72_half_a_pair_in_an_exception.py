"""Half a surrogate pair in an exception: the verdict can still be encoded."""

from sandbox.checks.attacks.attempt import Attempt, can_be_written

ATTEMPT = Attempt(
    program='raise ValueError("said " + chr(0xD800))\n',
    is_safe=can_be_written,
)

"""An info that is nested 900 deep: the verdict can still be encoded."""

from sandbox.checks.attacks.attempt import Attempt, can_be_written

ATTEMPT = Attempt(
    program='x = []\nfor _ in range(900):\n    x = [x]\ninfo["x"] = x\n',
    is_safe=can_be_written,
)

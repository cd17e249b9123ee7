"""Half a surrogate pair in an info: the verdict can still be encoded."""

from sandbox.checks.attacks.attempt import Attempt, can_be_written

ATTEMPT = Attempt(
    program='info["x"] = {"a" + chr(0xD800): [chr(0xDFFF)]}\n',
    is_safe=can_be_written,
)

"""Files of one call are gone at the next call."""

from sandbox.checks.attacks.attempt import Attempt, completes

ATTEMPT = Attempt(
    program="open('/tmp/left', 'w').write('x')",
    is_safe=completes,
)

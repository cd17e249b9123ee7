"""An info that is larger than a reply may be."""

from sandbox.checks.attacks.attempt import MEMORY, OUTPUT, Attempt, fails

ATTEMPT = Attempt(
    program="info['x'] = 'y' * (3 << 20)\n",
    is_safe=fails(OUTPUT, MEMORY),
)

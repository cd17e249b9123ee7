"""One process that allocates memory without end."""

from sandbox.checks.attacks.attempt import FAILED, MEMORY, TIMEOUT, Attempt, fails

ATTEMPT = Attempt(
    program="blocks = []\nwhile True:\n    blocks.append(bytearray(16 << 20))\n",
    is_safe=fails(MEMORY, FAILED, TIMEOUT),
)

"""A request for a solution with 50 MB ends its call but not its box."""

from sandbox.checks.attacks.attempt import OUTPUT, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE + "for _ in range(1000):\n    line.send(b'a' + b'x' * 50_000)\nline.send(b'A')\nline.recv(9)\n",
    is_safe=fails(OUTPUT),
)

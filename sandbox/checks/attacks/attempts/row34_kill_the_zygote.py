"""Every signal to PID 1."""

from sandbox.checks.attacks.attempt import HOST_FAULT, Attempt, completes, fails

ATTEMPT = Attempt(
    program="""
import os
for number in range(1, 65):
    try:
        os.kill(1, number)
    except OSError:
        pass
""",
    is_safe=completes,
    on_gvisor=fails(HOST_FAULT),
)

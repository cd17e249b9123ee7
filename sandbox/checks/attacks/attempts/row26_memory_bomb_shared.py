"""Eight processes that together allocate more memory than the box has."""

from sandbox.checks.attacks.attempt import FAILED, HOST_FAULT, MEMORY, TIMEOUT, Attempt, fails

ATTEMPT = Attempt(
    program="""
import os, time
for _ in range(8):
    if os.fork() == 0:
        block = bytearray(150 << 20)
        for i in range(0, len(block), 4096):
            block[i] = 1
        time.sleep(30)
time.sleep(0.6)
""",
    is_safe=lambda v: "" if v.error is None or v.error.kind in (MEMORY, TIMEOUT, FAILED) else f"ended as {v}",
    on_gvisor=fails(HOST_FAULT, MEMORY, TIMEOUT, FAILED),
)

"""One file ends at the file size limit."""

from sandbox.checks.attacks.attempt import Attempt, records

ATTEMPT = Attempt(
    program="""
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with open("/tmp/big", "wb") as file:
        for _ in range(64):
            file.write(b"x" * (1 << 20))
            file.flush()
except OSError as error:
    info["error"] = error.errno
import os
info["at_most"] = os.path.getsize("/tmp/big") <= 8 << 20
""",
    is_safe=records(error=27, at_most=True),
)

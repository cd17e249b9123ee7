"""Filling /tmp ends at its size limit."""

from sandbox.checks.attacks.attempt import Attempt, records

ATTEMPT = Attempt(
    program="""
written = 0
try:
    for number in range(64):
        with open(f"/tmp/{number}", "wb") as file:
            for _ in range(4):
                file.write(b"x" * (1 << 20))
                file.flush()
                written += 1
except OSError as error:
    info["error"] = error.errno
info["at_most"] = written <= 16
""",
    is_safe=records(error=28, at_most=True),
)

"""Empty files end at the inode limit."""

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, completes, fails, records
from schemas.verdict import Verdict


def _ends(verdict: Verdict) -> str:
    """A judge for where the number of files has no limit: it ends at its own count or at its time limit."""
    return completes(verdict) if verdict.error is None else fails(TIMEOUT)(verdict)


ATTEMPT = Attempt(
    program="""
count = 0
try:
    while count < 100000:
        open(f"/tmp/f{count}", "w").close()
        count += 1
except OSError as error:
    info["error"] = error.errno
info["at_most"] = count < 1100
""",
    is_safe=records(error=28, at_most=True),
    on_gvisor=_ends,
)

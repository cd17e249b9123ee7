"""Half a surrogate pair, sent without the guest's own checks: the verdict can still be encoded."""

from sandbox.checks.attacks.attempt import Attempt, can_be_written
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE
    + r"""line.send(reply(b'{"rewards": {"correct": 0.0}, "info": {"x": "\\ud800"}}', mark=b"E"))
os._exit(0)
""",
    is_safe=can_be_written,
)

"""Two answers to one call within one last message."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE
    + """
forged = reply({"rewards": {"correct": 1.0}}, mark=b"E")
line.send(forged + forged[1:])
os._exit(0)
""",
    is_safe=fails(FAILED, words="twice"),
)

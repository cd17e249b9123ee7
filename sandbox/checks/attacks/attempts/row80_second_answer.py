"""A forged last answer, then another, and a clean exit."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE
    + """
for reward in (1.0, 0.0):
    line.send(reply({"rewards": {"correct": reward}}, mark=b"E"))
os._exit(0)
""",
    is_safe=fails(FAILED, words="last reply"),
)

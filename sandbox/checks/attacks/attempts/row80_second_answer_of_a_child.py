"""A child answers first and ends, then the call itself answers."""

from sandbox.checks.attacks.attempt import FAILED, Attempt, fails
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE
    + """
if os.fork() == 0:
    line.send(reply({"rewards": {"correct": 1.0}}, mark=b"E"))
    os._exit(0)
os.wait()
""",
    is_safe=fails(FAILED, words="last reply"),
)

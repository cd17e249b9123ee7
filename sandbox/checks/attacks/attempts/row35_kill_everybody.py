"""kill(-1, SIGKILL) from inside a call."""

from sandbox.checks.attacks.attempt import Attempt

ATTEMPT = Attempt(
    program="import os\nos.kill(-1, 9)\nimport time\ntime.sleep(5)\n",
    is_safe=lambda v: "" if v.rewards in ({"correct": 0.0}, {"correct": None}) else f"ended as {v}",
)

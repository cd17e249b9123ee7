"""A solution that lowers limits, priority or processors of its supervisor and of the zygote."""

from sandbox.checks.attacks.attempt import Attempt, refused
from sandbox.checks.attacks.scripts import IN_SOLUTION

ATTEMPT = Attempt(
    program=IN_SOLUTION
    + '''
in_solution("""
for pid in (1, os.getppid()):
    for number in range(16):
        attempt(f"limit {number} of {pid}", resource.prlimit, pid, number, (5, 5))
    attempt(f"priority of {pid}", os.setpriority, os.PRIO_PROCESS, pid, 19)
    attempt(f"processors of {pid}", os.sched_setaffinity, pid, [min(os.sched_getaffinity(0))])
    attempt(f"scheduling of {pid}", os.sched_setscheduler, pid, os.SCHED_IDLE, os.sched_param(0))
attempt("priority of the user", os.setpriority, os.PRIO_USER, os.getuid(), 19)
attempt("priority of the group", os.setpriority, os.PRIO_PGRP, 0, 19)
""")
''',
    is_safe=refused("limit 1 of 1", "priority of 1", "processors of 1", "priority of the user"),
)

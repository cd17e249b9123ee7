"""Limits, priority, umask, folder and handlers that a call sets for itself end with it."""

from sandbox.checks.attacks.attempt import Attempt, completes

ATTEMPT = Attempt(
    program="""
import os, resource
import signal
for number in range(16):
    if number != resource.RLIMIT_CPU:
        soft, hard = resource.getrlimit(number)
        low = hard if 0 <= hard < 5 else 5
        try:
            resource.setrlimit(number, (low if number != resource.RLIMIT_AS else soft, hard))
        except ValueError:  # gVisor has limits that nobody can set
            pass
os.nice(19)
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
os.umask(0o777)
os.chdir("/")
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
""",
    is_safe=completes,
)

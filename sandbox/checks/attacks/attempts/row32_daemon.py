"""A double-forked daemon that would write for ever."""

from sandbox.checks.attacks.attempt import Attempt, completes

ATTEMPT = Attempt(
    program="""
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            open("/tmp/daemon", "a").write("x")
            time.sleep(0.01)
    os._exit(0)
time.sleep(0.1)
""",
    is_safe=completes,
)

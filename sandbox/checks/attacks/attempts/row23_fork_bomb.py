"""Forks until refused; everything is dead afterwards."""

from sandbox.checks.attacks.attempt import Attempt

ATTEMPT = Attempt(
    program="""
import os, time
count = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
        count += 1
except OSError:
    pass
info["children"] = count
""",
    is_safe=lambda v: "" if v.error is None and v.info.get("children", 999) < 60 else f"ended as {v}",
    on_gvisor=lambda v: "" if v.info.get("children", 0) < 60 else f"ended as {v}",  # a fork takes 20 ms there
)

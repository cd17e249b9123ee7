"""Threads until refused."""

from sandbox.checks.attacks.attempt import Attempt

ATTEMPT = Attempt(
    program="""
import threading, time
try:
    for _ in range(5000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
except (RuntimeError, MemoryError):
    info["refused"] = True
info["count"] = threading.active_count()
""",
    is_safe=lambda v: "" if v.error is not None or v.info.get("count", 9999) < 100 else f"ended as {v}",
)

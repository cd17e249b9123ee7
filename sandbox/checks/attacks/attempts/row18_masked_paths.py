"""Kernel secrets below /proc and /sys are empty or refused."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
def read(path):
    with open(path, "rb") as file:
        data = file.read(64)
    if not data:
        raise PermissionError(13, "empty")
    return data
for path in ("/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/kmsg", "/proc/sched_debug", "/dev/mem"):
    attempt(path, read, path)
import os
def listed(path):
    if not os.listdir(path):
        raise PermissionError(13, "empty")
for path in ("/sys/firmware", "/proc/acpi", "/proc/scsi"):
    attempt(path, listed, path)
""",
    is_safe=refused("/proc/kcore", "/sys/firmware"),
)

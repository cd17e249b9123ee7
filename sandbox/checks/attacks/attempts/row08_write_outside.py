"""Writing to the root, the interpreter, the package, the guest, devices, cgroups and kernel knobs."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import os, glob, sys
def write(path):
    with open(path, "r+b" if os.path.exists(path) and not os.path.isdir(path) else "wb") as file:
        file.write(b"x")
        file.flush()
places = ["/x", "/etc/passwd", "/etc/x", "/usr/bin/x", "/usr/lib/x", "/home/x", "/var/x", "/run/x", "/opt/x",
          "/verihub/package/x", "/verihub/guest/sandbox/guest/zygote.py", sys.modules[frame.__module__].__file__,
          "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/dev/x", "/dev/mem",
          "/dev/kmsg", "/dev/shm/x", "/dev/mqueue/x", "/sys/fs/cgroup/x", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
          "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/pids/pids.max", "/proc/sys/vm/overcommit_memory"]
for place in places:
    attempt(place, write, place)
""",
    is_safe=refused("/etc/passwd", "/verihub/guest/sandbox/guest/zygote.py"),
)

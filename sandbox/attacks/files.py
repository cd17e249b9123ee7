"""Out of the box, or into the next call, by the file system."""

from sandbox.attacks.attempt import TIMEOUT, Attempt, completes, fails, records, refused

ATTEMPTS = [
    Attempt(
        8,
        "write-outside",
        "Writing to the root, the interpreter, the package, the guest, devices, cgroups and kernel knobs",
        """
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
        refused("/etc/passwd", "/verihub/guest/sandbox/guest/zygote.py"),
    ),
    Attempt(
        9,
        "exec-from-tmp",
        "A program that was written to /tmp cannot be executed",
        """
import os, shutil, sys
shutil.copy("/bin/true" if os.path.exists("/bin/true") else sys.executable, "/tmp/program")
os.chmod("/tmp/program", 0o755)
attempt("execve", os.execv, "/tmp/program", ["program"])
attempt("posix_spawn", os.posix_spawn, "/tmp/program", ["program"], {})
""",
        refused("execve", "posix_spawn"),
    ),
    Attempt(
        10,
        "fill-tmp",
        "Filling /tmp ends at its size limit",
        """
written = 0
try:
    for number in range(64):
        with open(f"/tmp/{number}", "wb") as file:
            for _ in range(4):
                file.write(b"x" * (1 << 20))
                file.flush()
                written += 1
except OSError as error:
    info["error"] = error.errno
info["at_most"] = written <= 16
""",
        records(error=28, at_most=True),
    ),
    Attempt(
        11,
        "one-big-file",
        "One file ends at the file size limit",
        """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with open("/tmp/big", "wb") as file:
        for _ in range(64):
            file.write(b"x" * (1 << 20))
            file.flush()
except OSError as error:
    info["error"] = error.errno
import os
info["at_most"] = os.path.getsize("/tmp/big") <= 8 << 20
""",
        records(error=27, at_most=True),
    ),
    Attempt(
        12,
        "many-files",
        "Empty files end at the inode limit",
        """
count = 0
try:
    while count < 100000:
        open(f"/tmp/f{count}", "w").close()
        count += 1
except OSError as error:
    info["error"] = error.errno
info["at_most"] = count < 1100
""",
        records(error=28, at_most=True),
        on_gvisor=fails(TIMEOUT),
    ),
    Attempt(
        13,
        "leave-files",
        "Files left behind are gone for the next call",
        "open('/tmp/left', 'w').write('x')",
        completes,
    ),
    Attempt(
        14,
        "leave-locked-tree",
        "A tree without permissions, with links out of it, is wiped all the same",
        """
import os
os.makedirs("/tmp/a/b/c")
open("/tmp/a/b/c/file", "w").write("x")
os.symlink("/", "/tmp/a/root")
os.symlink("/tmp/a", "/tmp/a/b/loop")
attempt("fifo", os.mkfifo, "/tmp/a/pipe")
os.link("/tmp/a/b/c/file", "/tmp/a/hard")
for path in ("/tmp/a/b/c", "/tmp/a/b", "/tmp/a"):
    os.chmod(path, 0)
""",
        completes,
    ),
    Attempt(
        14,
        "leave-deep-tree",
        "A tree deeper than a path may be long: wiped, or the box replaced",
        """
import os
for _ in range(600):
    os.mkdir("d")
    os.chdir("d")
""",
        completes,
    ),
    Attempt(
        15,
        "setuid",
        "No setuid program, no way to another uid",
        """
import os
found = []
for root, folders, names in os.walk("/"):
    folders[:] = [f for f in folders if os.path.join(root, f) not in ("/proc", "/sys")]
    for name in names:
        try:
            if os.lstat(os.path.join(root, name)).st_mode & 0o6000:
                found.append(os.path.join(root, name))
        except OSError:
            pass
info["setuid"] = found
for name, function in (("setuid", os.setuid), ("setgid", os.setgid)):
    attempt(name, function, 0)
attempt("setgroups", os.setgroups, [0])
import ctypes
info["no_new_privileges"] = ctypes.CDLL(None).prctl(39, 0, 0, 0, 0)
""",
        lambda v: (
            ""
            if v.info.get("setuid") == "EPERM"
            and v.info.get("setgid") == "EPERM"
            and v.info.get("no_new_privileges") == 1
            else f"recorded {v.info} {v.error}"
        ),
    ),
    Attempt(
        16,
        "leaked-descriptors",
        "No descriptor of the host or the zygote is open beside the call's own socket",
        """
import os
kinds = {}
for number in range(256):
    try:
        facts = os.fstat(number)
    except OSError:
        continue
    kinds[number] = oct(facts.st_mode >> 12)
sockets = [number for number, kind in kinds.items() if kind == "0o14"]
info["sockets"] = len(sockets)
null = os.stat("/dev/null")
info["standard"] = [number for number in (0, 1, 2) if os.fstat(number).st_rdev != null.st_rdev]
info["others"] = [number for number in kinds if number > 2 and number not in sockets]
""",
        records(sockets=1, standard=[], others=[]),
    ),
    Attempt(
        17,
        "mknod",
        "No device node can be made",
        """
import os, stat
attempt("block", os.mknod, "/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(8, 0))
attempt("char", os.mknod, "/tmp/memory", stat.S_IFCHR | 0o600, os.makedev(1, 1))
""",
        refused("block", "char"),
    ),
    Attempt(
        18,
        "masked-paths",
        "Kernel secrets below /proc and /sys are empty or refused",
        """
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
        refused("/proc/kcore", "/sys/firmware"),
    ),
    Attempt(
        53,
        "symlink-for-the-host",
        "A link left in the folder is never followed by anybody outside",
        """
import os
for name in ("result.json", "output", "log"):
    os.symlink("/etc/shadow", "/tmp/" + name)
""",
        completes,
    ),
]

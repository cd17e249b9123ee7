"""Out of the box by the kernel: system calls that a verifier has no business with."""

from sandbox.attacks.attempt import Attempt, refused

_SYSCALL = """
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    return libc.syscall(number, *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
assert platform.machine() == "x86_64"
"""

ATTEMPTS = [
    Attempt(
        19,
        "namespaces",
        "unshare, clone with namespace flags, setns, mount, pivot_root, chroot",
        _SYSCALL
        + """
import os
for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("pid", 0x20000000), ("net", 0x40000000), ("time", 0x80)):
    attempt("unshare-" + name, call, 272, flag)
    attempt("clone-" + name, call, 56, flag | 17, 0, 0, 0, 0)
attempt("clone3", call, 435, ctypes.create_string_buffer(88), 88)
attempt("mount", libc.mount, b"none", b"/tmp", b"tmpfs", 0, None)
attempt("umount", call, 166, b"/tmp", 0)
attempt("pivot_root", call, 155, b"/tmp", b"/tmp")
attempt("chroot", os.chroot, "/tmp")
attempt("setns", call, 308, 0, 0)
attempt("fsopen", call, 430, b"tmpfs", 0)
attempt("open_tree", call, 428, -100, b"/", 1)
""",
        refused("unshare-user", "clone-user", "mount", "chroot", "setns", "open_tree"),
    ),
    Attempt(
        20,
        "rare-calls",
        "io_uring, bpf, perf, userfaultfd, keyctl, modules, kexec, kcmp, file handles, clocks, quotas",
        _SYSCALL
        + """
for name, number in (("io_uring_setup", 425), ("io_uring_enter", 426), ("io_uring_register", 427), ("bpf", 321),
                     ("perf_event_open", 298), ("userfaultfd", 323), ("add_key", 248), ("request_key", 249),
                     ("keyctl", 250), ("init_module", 175), ("finit_module", 313), ("delete_module", 176),
                     ("kexec_load", 246), ("kexec_file_load", 320), ("kcmp", 312), ("open_by_handle_at", 304),
                     ("name_to_handle_at", 303), ("settimeofday", 164), ("clock_settime", 227), ("sethostname", 170),
                     ("swapon", 167), ("reboot", 169), ("quotactl", 179), ("acct", 163), ("iopl", 172), ("ioperm", 173),
                     ("modify_ldt", 154), ("vmsplice_to_kernel", 180), ("lookup_dcookie", 212), ("memfd_secret", 447),
                     ("fanotify_init", 300), ("syslog", 103), ("process_madvise", 440), ("move_pages", 279)):
    attempt(name, call, number, 0, 0, 0, 0, 0)
""",
        refused("io_uring_setup", "bpf", "userfaultfd", "keyctl"),
    ),
    Attempt(
        20,
        "personality",
        "Turning off address randomisation and other personalities",
        _SYSCALL
        + """
attempt("no_randomize", call, 135, 0x0040000)
attempt("read_implies_exec", call, 135, 0x0400000)
""",
        refused("no_randomize", "read_implies_exec"),
    ),
    Attempt(
        21,
        "ptrace",
        "ptrace and process_vm_writev on the zygote, on oneself, on a child",
        _SYSCALL
        + """
import os
attempt("attach", call, 101, 16, 1, 0, 0)
attempt("seize", call, 101, 0x4206, 1, 0, 0)
attempt("traceme", call, 101, 0, 0, 0, 0)
attempt("readv", call, 310, 1, 0, 0, 0, 0, 0)
attempt("writev", call, 311, 1, 0, 0, 0, 0, 0)
""",
        refused("attach", "seize", "writev"),
    ),
    Attempt(
        22,
        "shared-memory-left-behind",
        "SysV and POSIX objects that the next call would find",
        _SYSCALL
        + """
attempt("shmget", call, 29, 0x1234, 4096, 0o1666)
attempt("msgget", call, 68, 0x1234, 0o1666)
attempt("semget", call, 64, 0x1234, 1, 0o1666)
attempt("mq_open", call, 240, b"/left", 0o102, 0o666, None)
""",
        refused("shmget", "msgget", "semget", "mq_open"),
    ),
    Attempt(
        37,
        "more-than-given",
        "Raising priority, limits, or lowering the OOM score",
        """
import os, resource, time
time.sleep(0.2)  # the limit on CPU time is set from outside, a moment after the call has begun
attempt("nice", os.nice, -5)
def raise_limit(which):
    hard = resource.getrlimit(which)[1]
    resource.setrlimit(which, (hard * 2, hard * 2))
for name in ("RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CPU", "RLIMIT_STACK"):
    attempt(name, raise_limit, getattr(resource, name))
def spare_me():
    with open("/proc/thread-self/oom_score_adj", "w") as file:
        file.write("-500")
attempt("oom", spare_me)
""",
        refused("nice", "RLIMIT_AS", "RLIMIT_CPU", "oom"),
    ),
    Attempt(
        38,
        "capabilities",
        "No capability, no supplementary group, nothing in the environment",
        """
import os
import ctypes, struct
libc = ctypes.CDLL(None, use_errno=True)
sets = ctypes.create_string_buffer(24)
asked = libc.syscall(125, struct.pack("<Ii", 0x20080522, 0), sets)  # capget: effective, permitted, inheritable, twice
info["capabilities"] = any(sets.raw) if asked == 0 else f"not told: {ctypes.get_errno()}"
info["bounding"] = [number for number in range(41) if libc.prctl(23, number, 0, 0, 0) > 0]
info["root_group"] = 0 in os.getgroups() or os.getgid() == 0
info["root"] = os.getuid() == 0
info["environment"] = sorted(set(os.environ) - {"PATH", "LANG", "HOME", "HOSTNAME", "LC_CTYPE"})
""",
        lambda v: (
            ""
            if v.info
            == {
                "capabilities": False,
                "bounding": [],
                "root_group": False,
                "root": False,
                "environment": [],
            }
            else f"recorded {v.info} {v.error}"
        ),
    ),
]

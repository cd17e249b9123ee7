"""Kernel interfaces that a model's program in a solution box must be refused, as a call is."""
# ruff: noqa: E501 -- a table of programs reads better with few line ends

from sandbox.checks.attacks.attempt import Attempt, Judge, refused
from sandbox.checks.attacks.scripts import IN_SOLUTION

_ROW = 76
_TRIES: dict[str, tuple[str, str, Judge]] = {
    "spy-on-the-supervisor": (
        "Memory, environment, descriptors and maps of the supervisor and the zygote",
        """
for pid in (1, os.getppid()):
    for name in ("mem", "environ", "maps", "fd/0", "cwd/x", "root/etc/passwd", "syscall", "stack"):
        attempt(f"{name} of {pid}", lambda: open(f"/proc/{pid}/{name}", "rb").read(9))
    attempt(f"score of {pid}", lambda: open(f"/proc/{pid}/oom_score_adj", "w").write("1000"))
attempt("own score", lambda: open("/proc/self/oom_score_adj", "w").write("500"))
""",
        refused("mem of 1", "fd/0 of 1", "score of 1", "own score"),
    ),
    "trace-the-supervisor": (
        "ptrace, process_vm_readv and process_vm_writev on the supervisor and the zygote",
        """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    result = libc.syscall(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result
for pid in (1, os.getppid()):
    for request in (16, 0x4206):
        attempt(f"traced {pid} by {request}", call, 101, request, pid, 0, 0)
    attempt(f"read {pid}", call, 310, pid, 0, 0, 0, 0, 0)
    attempt(f"written {pid}", call, 311, pid, 0, 0, 0, 0, 0)
    attempt(f"descriptor of {pid}", lambda: call(438, os.pidfd_open(pid), 0, 0))
""",
        refused("traced 1 by 16", "read 1", "written 1", "descriptor of 1"),
    ),
    "write-beside-the-folder": (
        "Creating files outside the folder, including the kernel's queues and shared memory",
        """
for folder in ("/", "/dev", "/dev/mqueue", "/dev/shm", "/var/tmp", "/run", "/run/verihub", "/verihub", "/proc/sys/kernel",
               "/sys/fs/cgroup", "/usr/lib/python3"):
    attempt(f"file in {folder}", lambda: open(f"{folder}/left", "w"))
    attempt(f"folder in {folder}", os.mkdir, f"{folder}/left-here")
attempt("queue", lambda: os.open("/dev/mqueue/left", os.O_CREAT | os.O_RDWR))
""",
        refused("file in /", "file in /dev/mqueue", "queue"),
    ),
    "other-address-families": (
        "Sockets of every address family except AF_UNIX",
        """
import socket
for family in (2, 10, 16, 17, 38, 40, 44):
    attempt(f"family {family}", socket.socket, family, socket.SOCK_STREAM if family in (2, 10, 40) else socket.SOCK_RAW)
""",
        refused("family 2", "family 10", "family 40"),
    ),
    "run-from-the-folder": (
        "Running a program that was written to the folder",
        """
open("program", "w").write("#!/bin/sh\\necho hi\\n")
os.chmod("program", 0o755)
def spawn():
    pid = os.posix_spawn("./program", ["program"], {})
    if os.waitpid(pid, 0)[1]:
        raise PermissionError(13, "")
attempt("run", spawn)
""",
        refused("run"),
    ),
    "new-namespaces": (
        "New namespaces, mounts and roots",
        """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")
for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80):
    attempt(f"unshare {flag:x}", call, 272, flag)
attempt("mount", call, 165, b"none", b"/tmp", b"tmpfs", 0, 0)
attempt("unmount", call, 166, b"/tmp", 2)
attempt("chroot", os.chroot, "/tmp")
""",
        refused("unshare 10000000", "mount", "chroot"),
    ),
    "ioprio-of-others": (
        "I/O priority, scheduling attributes and core scheduling of the zygote",
        """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")
for pid in (1, os.getppid()):
    attempt(f"input and output of {pid}", call, 251, 1, pid, 3 << 13)
    attempt(f"attributes of {pid}", call, 314, pid, ctypes.create_string_buffer(56), 0)
    attempt(f"parameters of {pid}", call, 142, pid, ctypes.create_string_buffer(8))
attempt("input and output of the user", call, 251, 3, os.getuid(), 3 << 13)
""",
        refused("input and output of 1", "attributes of 1", "input and output of the user"),
    ),
    "marks-on-the-folder": (
        "Extended attributes and flags of the folder",
        """
import fcntl
attempt("attribute", os.setxattr, "/tmp", "user.note", b"1")
attempt("flags", lambda: fcntl.ioctl(os.open("/tmp", os.O_RDONLY), 0x40086602, bytes(8)))
attempt("renamed", os.rename, "/tmp", "/tmp2")
attempt("removed", os.rmdir, "/tmp")
""",
        refused("attribute", "flags", "renamed", "removed"),
    ),
}
"""Name -> what is tried, the trials in a program, and their judge."""


REFUSED_TO_SOLUTIONS = [
    Attempt(
        program=f"{IN_SOLUTION}\nin_solution({trials!r})\n",
        is_safe=judge,
        row=_ROW,
        name=f"solution-{name}",
        sentence=f"In a solution: {sentence}",
    )
    for name, (sentence, trials, judge) in _TRIES.items()
]
"""Every such trial, by name."""

"""unshare, clone with namespace flags, setns, mount, pivot_root, chroot."""

from sandbox.checks.attacks.attempt import Attempt, refused
from sandbox.checks.attacks.scripts import SYSCALL

ATTEMPT = Attempt(
    program=SYSCALL
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
    is_safe=refused("unshare-user", "clone-user", "mount", "chroot", "setns", "open_tree"),
)

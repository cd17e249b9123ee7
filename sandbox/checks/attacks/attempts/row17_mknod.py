"""No device node can be made."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import os, stat
attempt("block", os.mknod, "/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(8, 0))
attempt("char", os.mknod, "/tmp/memory", stat.S_IFCHR | 0o600, os.makedev(1, 1))
""",
    is_safe=refused("block", "char"),
)

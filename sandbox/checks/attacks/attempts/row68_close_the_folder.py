"""Changing the mode, owner or times of the work folder."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import os, resource
attempt("closed", os.chmod, "/tmp", 0o500)
attempt("marked", os.chmod, "/tmp", 0o1731)
attempt("given", os.chown, "/tmp", os.getuid(), -1)
attempt("dated", lambda: os.utime("/tmp", ns=(123456789, 987654321)))
handle = os.open("/tmp", os.O_RDONLY)
attempt("closed by descriptor", os.fchmod, handle, 0o500)
""",
    is_safe=refused("closed", "marked", "given", "dated", "closed by descriptor"),
)

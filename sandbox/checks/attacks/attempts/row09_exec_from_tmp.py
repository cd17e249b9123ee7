"""A program that was written to /tmp cannot be executed."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import os, shutil, sys
shutil.copy("/bin/true" if os.path.exists("/bin/true") else sys.executable, "/tmp/program")
os.chmod("/tmp/program", 0o755)
attempt("execve", os.execv, "/tmp/program", ["program"])
attempt("posix_spawn", os.posix_spawn, "/tmp/program", ["program"], {})
""",
    is_safe=refused("execve", "posix_spawn"),
)

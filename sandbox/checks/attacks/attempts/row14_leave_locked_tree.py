"""A tree without permissions and with links that lead out of it is wiped."""

from sandbox.checks.attacks.attempt import Attempt, completes

ATTEMPT = Attempt(
    program="""
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
    is_safe=completes,
)

"""Turning off address randomisation and other personalities."""

from sandbox.checks.attacks.attempt import Attempt, refused
from sandbox.checks.attacks.scripts import SYSCALL

ATTEMPT = Attempt(
    program=SYSCALL
    + """
attempt("no_randomize", call, 135, 0x0040000)
attempt("read_implies_exec", call, 135, 0x0400000)
""",
    is_safe=refused("no_randomize", "read_implies_exec"),
)

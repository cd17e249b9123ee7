"""ptrace and process_vm_writev on the zygote, on oneself, on a child."""

from sandbox.checks.attacks.attempt import Attempt, refused
from sandbox.checks.attacks.scripts import SYSCALL

ATTEMPT = Attempt(
    program=SYSCALL
    + """
import os
attempt("attach", call, 101, 16, 1, 0, 0)
attempt("seize", call, 101, 0x4206, 1, 0, 0)
attempt("traceme", call, 101, 0, 0, 0, 0)
attempt("readv", call, 310, 1, 0, 0, 0, 0, 0)
attempt("writev", call, 311, 1, 0, 0, 0, 0, 0)
""",
    is_safe=refused("attach", "seize", "writev"),
)

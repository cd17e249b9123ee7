"""SysV and POSIX objects that the next call would find."""

from sandbox.checks.attacks.attempt import Attempt, refused
from sandbox.checks.attacks.scripts import SYSCALL

ATTEMPT = Attempt(
    program=SYSCALL
    + """
attempt("shmget", call, 29, 0x1234, 4096, 0o1666)
attempt("msgget", call, 68, 0x1234, 0o1666)
attempt("semget", call, 64, 0x1234, 1, 0o1666)
attempt("mq_open", call, 240, b"/left", 0o102, 0o666, None)
""",
    is_safe=refused("shmget", "msgget", "semget", "mq_open"),
)

"""Opening the zygote's memory, environment, maps and descriptors."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import os
def open_it(name, mode):
    with open("/proc/1/" + name, mode):
        pass
for name, mode in (("mem", "rb"), ("mem", "r+b"), ("environ", "rb"), ("maps", "rb"), ("auxv", "rb"), ("syscall", "rb"),
                   ("stack", "rb"), ("clear_refs", "wb"), ("oom_score_adj", "w"), ("coredump_filter", "w")):
    attempt(name + mode, open_it, name, mode)
attempt("fd", os.listdir, "/proc/1/fd")
attempt("root", os.listdir, "/proc/1/root")
attempt("cwd", os.listdir, "/proc/1/cwd")
""",
    is_safe=refused("memrb", "memr+b", "fd", "environrb"),
)

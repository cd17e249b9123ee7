"""Raising priority, limits, or lowering the OOM score."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import os, resource, time
time.sleep(0.2)  # the limit on CPU time is set from outside, a moment after the call has begun
attempt("nice", os.nice, -5)
def raise_limit(which):
    hard = resource.getrlimit(which)[1]
    resource.setrlimit(which, (hard * 2, hard * 2))
for name in ("RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CPU", "RLIMIT_STACK"):
    attempt(name, raise_limit, getattr(resource, name))
def spare_me():
    with open("/proc/thread-self/oom_score_adj", "w") as file:
        file.write("-500")
attempt("oom", spare_me)
""",
    is_safe=refused("nice", "RLIMIT_AS", "RLIMIT_CPU", "oom"),
)

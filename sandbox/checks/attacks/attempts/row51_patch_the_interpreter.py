"""Patched json, builtins, the verifier's module and our own do not reach the next call."""

from sandbox.checks.attacks.attempt import Attempt

ATTEMPT = Attempt(
    program="""
import builtins, json, sys
import sandbox.guest.call, sandbox.guest.vector, sandbox.guest.call_loop
module = sys.modules[frame.__module__]
module.verify = lambda task, response: {"correct": 0.0}
json.loads = lambda *a, **k: {}
builtins.float = lambda x=0: 1
sandbox.guest.vector.check_vector = lambda value, declared: {"correct": 1.0}
frame.__globals__["left"] = True
""",
    is_safe=lambda v: "" if v.rewards in ({"correct": 0.0}, {"correct": None}) else f"ended as {v}",
)

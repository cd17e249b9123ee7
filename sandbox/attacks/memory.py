"""Reaching the next call, or an earlier one, by memory."""

from sandbox.attacks.attempt import Attempt, completes, records

ATTEMPTS = [
    Attempt(
        51,
        "patch-the-interpreter",
        "Patched json, builtins, the verifier's module and our own do not reach the next call",
        """
import builtins, json, sys
import sandbox.guest.call, sandbox.guest.vector, sandbox.guest.serving
module = sys.modules[frame.__module__]
module.verify = lambda task, response: {"correct": 0.0}
json.loads = lambda *a, **k: {}
builtins.float = lambda x=0: 1
sandbox.guest.vector.check_vector = lambda value, declared: {"correct": 1.0}
frame.__globals__["left"] = True
""",
        lambda v: "" if v.rewards in ({"correct": 0.0}, {"correct": None}) else f"ended as {v}",
    ),
    Attempt(
        52,
        "earlier-answers",
        "Nothing of an earlier call lies in this one's memory",
        """
needle = "".join(("the-answer-of", "-an-earlier-call"))
import gc
info["found"] = sum(needle in value for value in gc.get_objects() if isinstance(value, str))
for value in gc.get_objects():
    if isinstance(value, (dict, list, tuple)):
        try:
            inner = value.values() if isinstance(value, dict) else value
            info["found"] += sum(isinstance(x, str) and needle in x for x in inner if x is not needle)
        except RuntimeError:
            pass
# The heap itself, where freed objects would still lie: everything this process may read of itself.
import ctypes, re
secret = needle.encode()
hits = 0
regions = []
try:
    maps = open("/proc/self/maps").read()
except OSError:
    maps = ""
    libc = ctypes.CDLL(None)
    libc.prctl(4, 1, 0, 0, 0)
    try:
        maps = open("/proc/self/maps").read()
    except OSError:
        pass
for line in maps.splitlines():
    parts = line.split()
    if parts[1].startswith("rw") and (len(parts) < 6 or parts[5] in ("[heap]",)):
        low, high = (int(x, 16) for x in parts[0].split("-"))
        if high - low <= 64 << 20:
            data = ctypes.string_at(low, high - low)
            hits += len(re.findall(rb"EARLIER-[0-9]{8}-SECRET", data))
            del data
info["in_heap"] = hits
""",
        records(found=0, in_heap=0),
    ),
    Attempt(
        60,
        "tokens",
        "Nothing of the trainer's environment is here",
        """
import os
import sys
text = str(dict(os.environ)) + str(sys.orig_argv)
info["found"] = [word for word in ("TOKEN", "SECRET", "PASSWORD", "VERIHUB_", "AWS_", "docker") if word in text]
""",
        records(found=[]),
    ),
    Attempt(
        66,
        "text-that-is-code",
        "A completion that is code for an eval-based parser stays in its call",
        """
eval("__import__('os').system('echo x > /tmp/evaluated')")
exec("import threading; threading.Thread(target=lambda: None).start()")
""",
        completes,
    ),
]

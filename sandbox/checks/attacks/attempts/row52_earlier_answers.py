"""The memory of a call holds nothing of an earlier call."""

from sandbox.checks.attacks.attempt import Attempt, records

ATTEMPT = Attempt(
    program="""
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
    is_safe=records(found=0, in_heap=0),
)

"""No descriptor of the host or the zygote is open beside the call's own socket."""

from sandbox.checks.attacks.attempt import Attempt, records

ATTEMPT = Attempt(
    program="""
import os
kinds = {}
for number in range(256):
    try:
        facts = os.fstat(number)
    except OSError:
        continue
    kinds[number] = oct(facts.st_mode >> 12)
sockets = [number for number, kind in kinds.items() if kind == "0o14"]
info["sockets"] = len(sockets)
null = os.stat("/dev/null")
info["standard"] = [number for number in (0, 1, 2) if os.fstat(number).st_rdev != null.st_rdev]
info["others"] = [number for number in kinds if number > 2 and number not in sockets]
""",
    is_safe=records(sockets=1, standard=[], others=[]),
)

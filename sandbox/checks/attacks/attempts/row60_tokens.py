"""No environment variable of the trainer is visible."""

from sandbox.checks.attacks.attempt import Attempt, records

ATTEMPT = Attempt(
    program="""
import os
import sys
text = str(dict(os.environ)) + str(sys.orig_argv)
info["found"] = [word for word in ("TOKEN", "SECRET", "PASSWORD", "VERIHUB_", "AWS_", "docker") if word in text]
""",
    is_safe=records(found=[]),
)

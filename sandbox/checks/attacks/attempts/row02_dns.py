"""A name lookup fails at once instead of hanging."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import os, socket
os.environ["RES_OPTIONS"] = "timeout:30 attempts:5"  # one that waits for an answer runs into its call's limit
attempt("lookup", socket.getaddrinfo, "example.com", 80)
""",
    is_safe=refused("lookup"),
)

"""A name lookup fails at once instead of hanging."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import socket
attempt("lookup", socket.getaddrinfo, "example.com", 80)
""",
    is_safe=refused("lookup"),
    within_seconds=1.0,
)

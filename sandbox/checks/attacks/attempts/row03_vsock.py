"""A socket of family AF_VSOCK, which in a microVM connects to the host."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import socket
attempt("vsock", socket.socket, 40, socket.SOCK_STREAM)
""",
    is_safe=refused("vsock"),
)

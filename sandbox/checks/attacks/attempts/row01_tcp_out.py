"""TCP to the metadata address, the gateway and the loopback."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import socket
for name, host in (("metadata", "169.254.169.254"), ("gateway", "172.17.0.1"), ("loopback", "127.0.0.1")):
    attempt(name, lambda: socket.create_connection((host, 80), 0.3))
""",
    is_safe=refused("metadata", "gateway", "loopback"),
)

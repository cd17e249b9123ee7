"""Abstract socket names of another box or the host lead nowhere."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import socket
def connect(name):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(name)
for name in ("containerd", "docker", "shim", "verihub", "X11"):
    attempt(name, connect, "\\0/" + name)
""",
    is_safe=refused("containerd"),
)

"""Sockets of every address family except AF_UNIX, including AF_NETLINK, AF_PACKET and AF_ALG."""

from sandbox.checks.attacks.attempt import Attempt, refused

ATTEMPT = Attempt(
    program="""
import socket
for family in range(2, 47):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        attempt(f"{family}-{kind}", socket.socket, family, kind)
""",
    is_safe=refused("16-3", "17-3", "38-5"),
)

"""Out of the box by a socket."""

from collections.abc import Mapping

from sandbox.attacks.attempt import Attempt, records, refused


def _what_the_door_allows(info: Mapping[str, object]) -> str:
    refusals = {name: str(info.get(name)) for name in ("connect", "listen", "write")}
    is_shut = info.get("there") == [] and all(word in ("ENOENT", "EROFS", "EACCES") for word in refusals.values())
    return "" if is_shut else f"recorded {dict(info)}"


ATTEMPTS = [
    Attempt(
        1,
        "tcp-out",
        "TCP to the metadata address, the gateway and the loopback",
        """
import socket
for name, host in (("metadata", "169.254.169.254"), ("gateway", "172.17.0.1"), ("loopback", "127.0.0.1")):
    attempt(name, lambda: socket.create_connection((host, 80), 0.3))
""",
        refused("metadata", "gateway", "loopback"),
    ),
    Attempt(
        2,
        "dns",
        "A name lookup fails at once instead of hanging",
        """
import socket
attempt("lookup", socket.getaddrinfo, "example.com", 80)
""",
        refused("lookup"),
        within_seconds=1.0,
    ),
    Attempt(
        3,
        "vsock",
        "AF_VSOCK, which in a microVM is a line to the host",
        """
import socket
attempt("vsock", socket.socket, 40, socket.SOCK_STREAM)
""",
        refused("vsock"),
    ),
    Attempt(
        4,
        "socket-families",
        "Every address family but AF_UNIX, AF_NETLINK, AF_PACKET and AF_ALG among them",
        """
import socket
for family in range(2, 47):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        attempt(f"{family}-{kind}", socket.socket, family, kind)
""",
        refused("16-3", "17-3", "38-5"),
    ),
    Attempt(
        5,
        "interfaces",
        "Only the loopback interface is visible",
        """
import os
known = "/proc/net/dev"
lines = open(known).readlines() if os.path.exists(known) else [name + ":" for name in os.listdir("/sys/class/net")]
info["interfaces"] = sorted(line.split(":")[0].strip() for line in lines if ":" in line)
""",
        records(interfaces=["lo"]),
    ),
    Attempt(
        6,
        "abstract-sockets",
        "Abstract socket names of another box or the host lead nowhere",
        """
import socket
def connect(name):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(name)
for name in ("containerd", "docker", "shim", "verihub", "X11"):
    attempt(name, connect, "\\0/" + name)
""",
        refused("containerd"),
    ),
    Attempt(
        6,
        "the-door-again",
        "The socket by which the box came in is gone, and its folder takes nothing new",
        """
import os, socket
folder = "/run/verihub"
info["there"] = os.listdir(folder) if os.path.isdir(folder) else []
def connect():
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(folder + "/line")
def listen():
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(folder + "/other")
attempt("connect", connect)
attempt("listen", listen)
attempt("write", open, folder + "/file", "w")
""",
        lambda v: v.error.message if v.error else _what_the_door_allows(v.info),
    ),
    Attempt(
        7,
        "engine-sockets",
        "No engine socket lies in the file system",
        """
import glob, os
places = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/crio/crio.sock"]
found = [place for place in places if os.path.exists(place)]
for folder in ("/run", "/var", "/tmp", "/etc", "/verihub", "/home", "/opt"):
    found += glob.glob(folder + "/**/*.sock", recursive=True)
info["found"] = found
""",
        records(found=[]),
    ),
]

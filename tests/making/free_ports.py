"""Ports that nobody else takes between the moment they are found free and the moment a server of a test listens there.

The kernel gives ports of its own range to whoever asks for any, and to both ends of each connection. So these lie below
that range, and a name that only one process can hold keeps the tests of other processes from the same one.
"""

import itertools
import os
import socket
from pathlib import Path

_FIRST = 15_000
_held: list[socket.socket] = []
"""Names of ports that are this process's until it ends."""
_counts = itertools.count()


def free_port() -> int:
    """A port of 127.0.0.1 that is this process's; a server may be stopped and started there again."""
    last = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    width = last - _FIRST
    start = os.getpid() * 61
    for number in itertools.islice(_counts, width):
        port = _FIRST + (start + number) % width
        if _is_ours(port):
            return port
    raise AssertionError(f"no port between {_FIRST} and {last} is free")


def _is_ours(port: int) -> bool:
    name = socket.socket(socket.AF_UNIX)
    try:
        name.bind(f"\0verihub-test-port-{port}")
        with socket.create_server(("127.0.0.1", port)):
            pass
    except OSError:
        name.close()
        return False
    _held.append(name)
    return True

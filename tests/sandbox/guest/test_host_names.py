"""The told host name is found, and the real one is told nowhere, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import _socket, json, socket
real = socket.gethostname()
try:
    known = socket.gethostbyname(real)
except OSError:
    known = None  # a machine need not be able to look itself up
from sandbox.guest.host_names import tell
tell("node7")

def tried(function, *given):
    try:
        return function(*given)
    except OSError as error:
        return type(error).__name__

names = [socket.gethostname(), _socket.gethostname(), socket.getfqdn()]
found = [tried(socket.gethostbyaddr, "127.0.0.1"), tried(socket.getnameinfo, ("127.0.0.1", 80), 0)]
found.append(tried(socket.gethostbyname_ex, "node7"))
with socket.socket() as server:
    bound = tried(server.bind, ("node7", 0))
    elsewhere = tried(server.bind, ("no-such-host.invalid", 0))
print(json.dumps({
    "real": real, "known": known, "names": names, "found": found, "bound": bound, "elsewhere": elsewhere,
    "address": tried(socket.gethostbyname, "node7"), "other": socket.gethostbyname("127.0.0.1"),
}))
"""


def test_the_machine_is_found_by_the_told_name_and_by_no_other() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3]
    )
    told = json.loads(done.stdout)
    assert told["names"][:2] == ["node7", "node7"]
    assert told["address"] == (told["known"] or "gaierror")
    assert told["bound"] == (None if told["known"] else "gaierror")
    assert (told["elsewhere"], told["other"]) == ("gaierror", "127.0.0.1")
    said = json.dumps([told["names"], told["found"]])
    assert json.dumps(told["real"]) not in said

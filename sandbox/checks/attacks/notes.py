"""Notes from one call to the next of its package, left in what both inherit or reach: the second must find nothing."""
# ruff: noqa: E501, ISC004 -- a table of programs reads better with few line ends

import tempfile
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.checks.attacks.attempt import FAIR_SECONDS, HOST, judge_call
from sandbox.sandbox import Sandbox

_CALLS = 4  # of each kind, so that both boxes of the release get some

OPENER = replace(
    HOST,
    name="opens-files",
    memory_mb=192,
    timeout_seconds=FAIR_SECONDS,
    code="import os, socket\nKEPT = os.open(__file__, os.O_RDONLY)\nFOLDER = os.open('/usr/lib', os.O_RDONLY)\n"
    "READS, WRITES = os.pipe()\nLEFT, RIGHT = socket.socketpair()\n" + textwrap.dedent(HOST.code),
)
"""A grader that runs responses in its own process, and has opened a file, a folder, a pipe and sockets."""

_LOCKS = """
import fcntl, os, struct
def lock(kind, start, length):
    return struct.pack("hhqqi4x", kind, 0, start, length, 0)
def lock_of(path):
    seen = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(seen, fcntl.LOCK_SH | fcntl.LOCK_NB)
        held = False
    except OSError:
        held = True
    kind, _, start, length, _ = struct.unpack("hhqqi4x", fcntl.fcntl(seen, fcntl.F_OFD_GETLK, lock(1, 0, 0)))
    os.close(seen)
    return [held, kind, start, length]
def asks(number):
    return [fcntl.fcntl(number, ask) for ask in (fcntl.F_GETFL, fcntl.F_GETOWN, fcntl.F_GETSIG)]
package = frame.__globals__
"""

_NOTES = {
    "locks-of-standard-streams": (
        "The place and the length of a lock on standard input",
        "attempt('x', fcntl.fcntl, 0, fcntl.F_OFD_SETLK, lock(1, 123456789, 987654321))\nfcntl.flock(1, fcntl.LOCK_EX)",
        "info['found'] = lock_of('/dev/null')",
    ),
    "flags-of-standard-streams": (
        "Flags, owner and signal of standard input",
        "for n in range(3):\n    fcntl.fcntl(n, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)\n"
        "    fcntl.fcntl(n, fcntl.F_SETOWN, 1)\n    fcntl.fcntl(n, fcntl.F_SETSIG, 33)",
        "info['found'] = [asks(n) for n in range(3)]",
    ),
    "locks-of-a-packages-file": (
        "A lock, an owner and a signal on a file that the package opened",
        "n = package['KEPT']\nattempt('x', fcntl.fcntl, n, fcntl.F_OFD_SETLK, lock(0, 123456789, 987654321))\n"
        "fcntl.flock(n, fcntl.LOCK_EX)\nfcntl.fcntl(n, fcntl.F_SETOWN, os.getpid())\nfcntl.fcntl(n, fcntl.F_SETSIG, 33)",
        "info['found'] = [lock_of(package['__file__']), asks(package['KEPT'])]",
    ),
    "a-packages-folder": (
        "How far a folder has been read that the package opened, and a lock on it",
        "os.listdir(package['FOLDER'])\nos.lseek(package['FOLDER'], 3, 0)\nfcntl.flock(package['FOLDER'], fcntl.LOCK_EX)",
        "info['found'] = [lock_of('/usr/lib')[0], os.lseek(package['FOLDER'], 0, 1), asks(package['FOLDER'])]",
    ),
    "a-packages-pipe": (
        "How much a pipe of the package holds, its flags and its owner",
        "attempt('x', fcntl.fcntl, package['READS'], fcntl.F_SETPIPE_SZ, 8192)\n"
        "fcntl.fcntl(package['WRITES'], fcntl.F_SETFL, os.O_NONBLOCK)\nfcntl.fcntl(package['LEFT'], fcntl.F_SETOWN, 1)",
        "info['found'] = [asks(package[n]) for n in ('READS', 'WRITES')] + "
        "[fcntl.fcntl(package['READS'], fcntl.F_GETPIPE_SZ), asks(package['LEFT'].fileno())]",
    ),
    "environment-and-modules": (
        "Environment, path, modules, hooks and limits of the interpreter",
        "import sys, gc\nos.environ['NOTE'] = os.environ['PATH'] = 'x'\nsys.path.insert(0, '/tmp')\nsys.modules['note'] = sys\n"
        "sys.setrecursionlimit(77)\nsys.set_int_max_str_digits(0)\ngc.disable()\nsys.addaudithook(lambda *_: None)\n"
        "sys.settrace(lambda *_: None)\nos.umask(0)\nos.chdir('/')\nopen('/tmp/note.py', 'w').write('x')",
        "import sys, gc\ninfo['found'] = [sorted(os.environ), sys.path, 'note' in sys.modules, sys.getrecursionlimit(),\n"
        "    sys.get_int_max_str_digits(), gc.isenabled(), sys.gettrace() is None, os.umask(0o77), os.getcwd(), os.listdir()]",
    ),
    "memory-in-flight": (
        "Memory in files without names that only circles of sockets hold",
        "import socket\nfor _ in range(6):\n    a, b = socket.socketpair()\n    n = os.memfd_create('x')\n"
        "    os.write(n, bytes(8 << 20))\n    socket.send_fds(a, [b'x'], [a.fileno(), b.fileno(), n])\n    os.close(n)",
        "info['found'] = len(bytearray(150 << 20))",
    ),
    "processes-of-every-kind": (
        "Children that are stopped, orphaned, in sessions of their own, traced by nobody and deaf",
        "import signal, time\nfor kind in range(8):\n    if os.fork() == 0:\n        if kind % 2: os.setsid()\n"
        "        for n in signal.valid_signals() - {9, 19}: signal.signal(n, signal.SIG_IGN)\n"
        "        if kind % 4 > 1 and os.fork(): os._exit(0)\n        if kind > 3: os.kill(os.getpid(), 19)\n        time.sleep(99)",
        "import time\ninfo['found'] = [n for n in os.listdir('/proc') if n.isdigit() and int(n) not in (1, os.getpid())]",
    ),
    "odd-files": (
        "Sockets, names that are no text, names of 255 bytes, files without permissions",
        "import socket\nattempt('y', os.mkfifo, 'fifo')\nopen('file', 'w').close()\nsocket.socket(socket.AF_UNIX).bind('socket')\nos.mkdir(b'\\xff\\xfe' * 100)\n"
        "open(b'\\xff' * 255, 'w').close()\nos.symlink('.', 'loop')\nos.link('file', 'again')\nos.mkdir('shut')\n"
        "open('shut/x', 'w').close()\nos.chmod('shut/x', 0)\nos.chmod('shut', 0)\nattempt('x', os.link, '/etc/passwd', 'hard')",
        "info['found'] = [os.listdir('/tmp'), os.path.exists('/tmp/file')]",
    ),
    "signals-that-wait": (
        "Thousands of queued signals for the zygote and for oneself",
        "import ctypes, signal\nlibc = ctypes.CDLL(None)\nsignal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n"
        "for n in range(4000):\n    for pid in (1, os.getpid()): libc.sigqueue(pid, 34 + n % 30, n)",
        "import signal\ninfo['found'] = [len(signal.sigpending()), len(signal.pthread_sigmask(signal.SIG_BLOCK, ()))]",
    ),
}
"""Name -> what holds the note, how one call leaves it, and how the next looks for it."""


@dataclass(frozen=True)
class NoteAttempt:
    """Calls that leave a note, then calls that look for it; and calls that look before."""

    name: str
    sentence: str
    leave: str
    look: str

    async def problem(self, sandbox: Sandbox) -> str:
        """What the later calls found; empty when that is what calls in fresh boxes find."""
        with tempfile.TemporaryDirectory(prefix="verihub-attacks-") as folder:
            source = OPENER.source(Path(folder))

            async def found(program: str) -> list[object]:
                verdicts = [await judge_call(sandbox, source, _LOCKS + program) for _ in range(_CALLS)]
                return [verdict.info.get("found") if verdict.error is None else verdict.error for verdict in verdicts]

            before = await found(self.look)
            if any(one != before[0] or one is None for one in before):
                return f"fresh boxes differ: {before!r:.500}"
            if any(left := await found(self.leave)):
                return f"it could not be left: {left!r:.500}"
            after = await found(self.look)
            return "" if after == before else f"the next calls found {after!r:.700}, not {before[0]!r:.300}"


NOTES = [
    NoteAttempt(f"note-{name}", f"A note for the next call: {sentence}", leave, look)
    for name, (sentence, leave, look) in _NOTES.items()
]
"""Every note, by name."""

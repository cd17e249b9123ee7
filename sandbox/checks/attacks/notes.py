"""Attempts to pass data ("a note") from one call to the next of the same package. The second call must find nothing."""
# ruff: noqa: E501, ISC004 -- a table of programs reads better with few line ends

import tempfile
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.checks.attacks.attempt import FAIR_SECONDS, HOST, judge_call
from sandbox.checks.samples import Sample
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
"""A verifier that executes responses in its own process. At import it opens a file, a folder, a pipe and sockets."""
HOLDER = replace(
    OPENER,
    name="holds-things",
    code="import os, select\nCOUNTER, SET = os.eventfd(1), select.epoll()\nMEMORY = os.memfd_create('m', 2)\n"
    "os.write(MEMORY, b'12345678')\nSET.register(COUNTER)\n" + OPENER.code,
)
"""The same; it also opens an eventfd, an epoll set and an unnamed file."""
FULL = replace(
    OPENER, name="holds-a-full-pipe", code="import os\nFULL = os.pipe()\nos.write(FULL[1], b'12345678')\n" + OPENER.code
)
"""The same with a pipe that holds data."""
FAR = replace(
    OPENER,
    name="far-descriptors",
    code="import fcntl, os\nNEAR = os.pipe()\ntry:\n    FAR = [fcntl.fcntl(end, fcntl.F_DUPFD, 5000) for end in NEAR]\n"
    "    [os.close(end) for end in NEAR]\nexcept OSError:\n    FAR = NEAR\nos.set_blocking(FAR[0], False)\n"
    + OPENER.code,
)
"""The same with a pipe under high numbers, if it may have them: limits of a call do not close what is open."""

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
        "The position and the length of a lock on standard input",
        "attempt('x', fcntl.fcntl, 0, fcntl.F_OFD_SETLK, lock(1, 123456789, 987654321))\nattempt('y', fcntl.flock, 1, fcntl.LOCK_EX)",
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
        "The position in a folder that the package opened, and a lock on it",
        "os.listdir(package['FOLDER'])\nos.lseek(package['FOLDER'], 3, 0)\nfcntl.flock(package['FOLDER'], fcntl.LOCK_EX)",
        "info['found'] = [lock_of('/usr/lib')[0], os.lseek(package['FOLDER'], 0, 1), asks(package['FOLDER'])]",
    ),
    "a-packages-pipe": (
        "The size, flags and signal owner of a pipe of the package",
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
        "Memory in unnamed files that only sockets in a reference cycle keep alive",
        "import socket\nfor _ in range(6):\n    a, b = socket.socketpair()\n    n = os.memfd_create('x')\n"
        "    os.write(n, bytes(8 << 20))\n    socket.send_fds(a, [b'x'], [a.fileno(), b.fileno(), n])\n    os.close(n)",
        "info['found'] = len(bytearray(150 << 20))",
    ),
    "processes-of-every-kind": (
        "Children that are stopped, orphaned, in process sessions of their own, or ignore all signals",
        "import signal, time\nfor kind in range(8):\n    if os.fork() == 0:\n        if kind % 2: os.setsid()\n"
        "        for n in signal.valid_signals() - {9, 19}: signal.signal(n, signal.SIG_IGN)\n"
        "        if kind % 4 > 1 and os.fork(): os._exit(0)\n        if kind > 3: os.kill(os.getpid(), 19)\n        time.sleep(99)",
        "import time\ninfo['found'] = [n for n in os.listdir('/proc') if n.isdigit() and int(n) not in (1, os.getpid())]",
    ),
    "odd-files": (
        "Sockets, file names that are not UTF-8, names of 255 bytes, files without permissions",
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
    "write-hints": (
        "The write-lifetime hint of files that every box may read",
        "import struct\nfor number in (package['KEPT'], os.open('/dev/null', os.O_RDWR), 0):\n"
        "    for command in (1036, 1038): attempt('x', fcntl.fcntl, number, command, struct.pack('Q', 3))",
        "def hint(n, command):\n    try: return fcntl.fcntl(n, command, bytes(8)).hex()\n    except OSError as error: return error.errno\n"
        "info['found'] = [hint(n, command) for n in (package['KEPT'], os.open('/dev/null', 0), 0) for command in (1035, 1037)]",
    ),
    "watches-and-leases": (
        "A lease on a file, a watch on a folder whose signal is for the zygote",
        "attempt('x', fcntl.fcntl, package['KEPT'], fcntl.F_SETLEASE, fcntl.F_RDLCK)\n"
        "for number in (package['FOLDER'], os.open('/tmp', 0)):\n    fcntl.fcntl(number, fcntl.F_SETSIG, 9)\n"
        "    fcntl.fcntl(number, fcntl.F_SETOWN, 1)\n    attempt('y', fcntl.fcntl, number, fcntl.F_NOTIFY, 0x80000004)\n"
        "open('/tmp/x', 'w').close()\nos.unlink('/tmp/x')",
        "info['found'] = [fcntl.fcntl(package['KEPT'], fcntl.F_GETLEASE), asks(package['FOLDER']), os.listdir('/tmp')]",
    ),
    "pages-in-memory": (
        "Which pages of a file that every box may read are in memory",
        "n = package['KEPT']\nos.posix_fadvise(n, 0, 0, os.POSIX_FADV_DONTNEED)\nos.pread(n, 4096, 0)",
        "import ctypes, mmap\nn = package['KEPT']\nsize = os.fstat(n).st_size\nseen = mmap.mmap(n, size, mmap.MAP_PRIVATE, 3)\n"
        "pages = (ctypes.c_ubyte * (size // 4096 + 1))()\nat = ctypes.addressof(ctypes.c_char.from_buffer(seen))\n"
        "asked = ctypes.CDLL(None).mincore(ctypes.c_void_p(at), size, pages)\n"
        "try: now = os.preadv(n, [bytearray(9)], 0, os.RWF_NOWAIT)\nexcept OSError as error: now = error.errno\n"
        "info['found'] = [asked, sorted(set(pages)), now]",
    ),
    "files-of-the-zygote": (
        "Files in /proc that a process may write for another of the same user, such as its name and timer slack",
        "for name in sorted(os.listdir('/proc/1')):\n    if os.path.isfile(f'/proc/1/{name}'):\n"
        "        attempt('x', lambda: open(f'/proc/1/{name}', 'w').write('1'))",
        "with open('/proc/self/comm') as file: name = file.read()\n"
        "import ctypes\ninfo['found'] = [name, ctypes.CDLL(None).prctl(30, 0, 0, 0, 0), open('/proc/self/coredump_filter').read()]",
    ),
    "one-counter-of-the-user": (
        "Signals, pipes, watches, locks and keys, which the kernel counts for each user",
        "import signal\nkept = [os.pipe() for _ in range(20)]\nattempt('x', lambda: [fcntl.fcntl(p[0], 1031, 1 << 20) for p in kept])\n"
        "import ctypes\nlibc = ctypes.CDLL(None)\nsignal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n"
        "for n in range(200): libc.sigqueue(os.getpid(), 34, n)\nn = libc.inotify_init1(0)\nlibc.inotify_add_watch(n, b'/usr/lib', 32)",
        "info['found'] = [line for line in open('/proc/self/status') if line.startswith(('SigQ', 'Threads', 'ShdPnd', 'SigPnd'))]",
    ),
}
"""Name -> where the note is, the code that leaves it, and the code that looks for it."""
_HELD_NOTES = {
    "number-of-a-counter": (
        HOLDER,
        "The number in an eventfd of the package",
        "os.eventfd_write(package['COUNTER'], 12344)",
        "number = os.eventfd_read(package['COUNTER'])\nos.eventfd_write(package['COUNTER'], number)\ninfo['found'] = number",
    ),
    "members-of-a-poll-set": (
        HOLDER,
        "The events that an epoll set of the package waits for",
        "import select\npackage['SET'].modify(package['COUNTER'], select.EPOLLOUT | select.EPOLLET)",
        "facts = open(f\"/proc/self/fdinfo/{package['SET'].fileno()}\").read().splitlines()\n"
        "info['found'] = [line.split()[:4] for line in facts if line.startswith('tfd')]",
    ),
    "memory-without-a-name": (
        HOLDER,
        "Bytes and seals of memory that the package keeps",
        "os.pwrite(package['MEMORY'], b'87654321', 0)\nfcntl.fcntl(package['MEMORY'], fcntl.F_ADD_SEALS, 8)",
        "info['found'] = [os.pread(package['MEMORY'], 99, 0).decode(), fcntl.fcntl(package['MEMORY'], fcntl.F_GET_SEALS)]",
    ),
    "as-much-in-a-full-pipe": (
        FULL,
        "Other bytes of the same number in a pipe of the package",
        "os.read(package['FULL'][0], 8)\nos.write(package['FULL'][1], b'87654321')",
        "held = os.read(package['FULL'][0], 99)\nos.write(package['FULL'][1], held)\ninfo['found'] = held.decode()",
    ),
    "far-descriptors": (
        FAR,
        "Bytes in a pipe whose numbers are high",
        "os.write(package['FAR'][1], b'12345678')",
        "try: info['found'] = os.read(package['FAR'][0], 99).decode()\nexcept BlockingIOError: info['found'] = 'nothing'",
    ),
}
"""The same for packages that open more at import."""


@dataclass(frozen=True)
class NoteAttempt:
    """Calls that leave a note, and calls that look for it before and afterwards."""

    name: str
    sentence: str
    leave: str
    look: str
    keeper: Sample = OPENER

    async def problem(self, sandbox: Sandbox) -> str:
        """Run them. Returns what the later calls found if it differs from fresh boxes, else an empty string."""
        with tempfile.TemporaryDirectory(prefix="verihub-attacks-") as folder:
            source = self.keeper.source(Path(folder))

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
] + [
    NoteAttempt(f"note-{name}", f"A note for the next call: {sentence}", leave, look, keeper)
    for name, (keeper, sentence, leave, look) in _HELD_NOTES.items()
]
"""Every note, by name."""

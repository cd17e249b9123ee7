"""Two packages of different authors run at the same time on one engine. Neither may see what the other does."""
# ruff: noqa: E501, ISC004 -- a table of programs reads better with few line ends

import asyncio
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.checks.attacks.attempt import FAIR_SECONDS, HOST, judge_call
from sandbox.sandbox import Sandbox

_HOLD_SECONDS, _LOOK_SECONDS = 3.0, 2.0
_FIRST, _SECOND = (
    replace(HOST, name=name, timeout_seconds=FAIR_SECONDS) for name in ("neighbour-one", "neighbour-two")
)
_SHARED = """
import ctypes, fcntl, os, signal, socket, struct, time
FILES = ["/usr/bin/python3", os.__file__, "/dev/null", "/dev/urandom", "/proc/version", "/proc/locks", "/etc/passwd",
         "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/devices/system/cpu"]
shared = {path: os.open(path, os.O_RDONLY) for path in FILES if os.path.exists(path)}
libc = ctypes.CDLL(None, use_errno=True)
def lock(start): return struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, start, 7, 0)
"""
_TOGETHER = {
    "locks-of-one-machine": (
        "Locks on files that both boxes have, and in the kernel's list of locks",
        "for n in shared.values():\n    attempt('x', fcntl.flock, n, fcntl.LOCK_EX | fcntl.LOCK_NB)\n    attempt('y', fcntl.fcntl, n, fcntl.F_SETLK, lock(424242))\n"
        "    for command in (37, 37 | 1 << 32, 37 | 1 << 63):\n        libc.syscall(ctypes.c_long(72), ctypes.c_long(n), ctypes.c_ulong(command), lock(424242))",
        "if b'424242' in open('/proc/locks', 'rb').read(): seen.add('in /proc/locks')\n"
        "for path, n in shared.items():\n"
        "    try: fcntl.flock(n, fcntl.LOCK_EX | fcntl.LOCK_NB)\n    except BlockingIOError: seen.add(path)\n    except OSError: pass\n"
        "    if struct.unpack('hhqqi4x', fcntl.fcntl(n, fcntl.F_GETLK, struct.pack('hhqqi4x', 1, 0, 0, 0, 0)))[0] != 2: seen.add(path + ' by bytes')",
    ),
    "files-that-are-watched": (
        "Opening and reading files that both boxes have",
        "end = time.time() + 2.5\nwhile time.time() < end:\n    for path in FILES[:2]: open(path, 'rb').read(1)\n    os.listdir('/usr/lib')",
        "if not watches: watches.append(libc.inotify_init1(os.O_NONBLOCK)), [libc.inotify_add_watch(watches[0], path.encode(), 0xfff) for path in (*FILES[:2], '/usr/bin', '/usr/lib', '/etc')]\n"
        "try: seen.add(str(os.read(watches[0], 4096)))\nexcept BlockingIOError: pass",
    ),
    "names-and-counts-of-one-kernel": (
        "Names of sockets and processes, queued signals, and sizes of pipes",
        "kept = socket.socket(socket.AF_UNIX)\nattempt('x', kept.bind, '\\0neighbour-424242')\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\nfor n in range(500): libc.sigqueue(os.getpid(), 34, n)\n"
        "pipes = [os.pipe() for _ in range(20)]\nfor pair in pipes: attempt('y', fcntl.fcntl, pair[0], 1031, 1 << 20)\n"
        "attempt('z', lambda: open('/proc/self/comm', 'w').write('n424242'))",
        "for name in ('net/unix', 'locks', 'self/mountinfo', 'self/status'):\n    if b'424242' in open('/proc/' + name, 'rb').read(): seen.add(name)\n"
        "seen.update(n for n in os.listdir('/proc') if n.isdigit() and int(n) not in (1, os.getpid()))\n"
        "seen.update(line for line in open('/proc/self/status') if line.startswith('SigQ') and line.split()[1].split('/')[0] != '0')\n"
        "pair = os.pipe()\nif fcntl.fcntl(pair[0], 1031, 1 << 20) < 1 << 20: seen.add('small pipes')\nfor n in pair: os.close(n)",
    ),
}
"""Name -> what is shared, what one package does before it sleeps, and what the other repeats meanwhile."""


@dataclass(frozen=True)
class NeighbourAttempt:
    """A call of one package that holds something, while a call of another package looks for it."""

    name: str
    sentence: str
    hold: str
    look: str

    async def problem(self, sandbox: Sandbox) -> str:
        """Run both. Returns what the other call saw, or an empty string."""
        hold = f"{_SHARED}{self.hold}\ntime.sleep({_HOLD_SECONDS})"
        lines = "".join(f"    {line}\n" for line in self.look.splitlines())
        look = f"{_SHARED}seen, watches, end = set(), [], time.time() + {_LOOK_SECONDS}\nwhile time.time() < end:\n{lines}    time.sleep(0.05)\ninfo['seen'] = sorted(seen)"
        with tempfile.TemporaryDirectory(prefix="verihub-attacks-") as folder:
            one, other = (sample.source(Path(folder)) for sample in (_FIRST, _SECOND))
            for source in (one, other):
                await judge_call(sandbox, source, "ping")  # boxes open, so that both run at the same time
            held, saw = await asyncio.gather(judge_call(sandbox, one, hold), judge_call(sandbox, other, look))
        if held.error is not None or saw.error is not None:
            return f"it was not tried: {held.error or saw.error}"
        return f"it saw {saw.info['seen']!r:.500}" if saw.info["seen"] else ""


NEIGHBOURS = [
    NeighbourAttempt(f"neighbour-{name}", f"Seen from another package: {sentence}", hold, look)
    for name, (sentence, hold, look) in _TOGETHER.items()
]
"""Every attempt of two packages, by name."""

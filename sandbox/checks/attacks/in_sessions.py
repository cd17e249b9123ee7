"""Attempts of one session against other sessions of the same box, against later sessions, and against the host."""
# ruff: noqa: E501, ISC004 -- a table of programs reads better with few line ends

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.checks.attacks.hostile_json import VALUES
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import HostFaultError, SandboxError
from sandbox.sandbox import Sandbox
from sandbox.sessions.sessions import Session

RUNNER = Sample(
    """
    import os, resource
    from sandbox.guest import run_solution

    class Session:
        def reset(self, task, seed):
            return {"messages": [], "tools": []}

        def step(self, message):
            scope = {**globals(), "self": self, "said": {}}
            exec(message["content"], scope)
            return {"messages": [], "done": False, "said": scope["said"]}

        def state(self):
            return {}

    def verify(task, state):
        return {"correct": 1.0}
    """,
    name="runner",
    kind="environment",
    timeout_seconds=2.0,
    head='verifier = "PACKAGE:verify"\nsession = "PACKAGE:Session"\ntasks = { train = "tasks.jsonl" }',
    files={"tasks.jsonl": '{"id": "t1", "prompt": "q"}\n'},
)
"""An environment that executes each message in its own process."""
WORK = """
open('file', 'w').write('x' * 100_000)
pid = os.fork()
if pid == 0:
    os._exit(7)
solved = run_solution(code="def f():\\n    open('g', 'w').write('y' * 1000)\\n    return 42", entry="f")
said.update(written=os.path.getsize('file'), forked=os.waitpid(pid, 0)[1] >> 8, solved=solved.result, nice=os.nice(0))
said["limits"] = [resource.getrlimit(number) for number in range(16) if number != resource.RLIMIT_AS]
said["processors"] = sorted(os.sched_getaffinity(0))
said["files"] = sorted(os.listdir("."))
import fcntl
# gVisor, whose boxes have no /proc, answers with another number each time when nobody owns a stream
asked = (fcntl.F_GETFL, fcntl.F_GETOWN) if os.path.exists("/proc/self") else (fcntl.F_GETFL,)
said["streams"] = [[fcntl.fcntl(n, what) for what in asked] for n in range(3)]
"""
"""The program that another session of the box runs before and after an attempt, and a later session after it."""
_TRY = """
def attempt(name, function, *arguments):
    try:
        said[name] = f"allowed: {function(*arguments)!r:.100}"
    except OSError as error:
        said[name] = type(error).__name__
others = [int(n) for n in os.listdir("/proc") if n.isdigit() and os.getpgid(int(n)) not in (os.getpgrp(), os.getpgid(1))]
others.append(1)
number = int(os.getcwd().rpartition("/s")[2])
folders = [f"/tmp/s{n}" for n in range(max(1, number - 40), number + 40) if n != number]
"""
_LINE = """
import gc, socket
[own] = [one for one in gc.get_objects() if type(one).__name__ == "SessionProcess"]
line = own._line
"""

Answer = dict[str, Any] | SandboxError
Judge = Callable[[Answer], str]


def _refused(answer: Answer) -> str:
    if isinstance(answer, SandboxError):
        return f"no record: {answer!r}"
    allowed = {name: words for name, words in answer.items() if str(words).startswith("allowed")}
    return str(allowed)[:500] if allowed or not answer else ""


def _raises(answer: Answer) -> str:
    is_its_fault = isinstance(answer, SandboxError) and not isinstance(answer, HostFaultError)
    return "" if is_its_fault else f"it ended as {answer!r:.300}"


def _anything(answer: Answer) -> str:
    return f"the host is blamed: {answer!r}" if isinstance(answer, HostFaultError) else ""


_TRIES: dict[str, tuple[str, str, Judge]] = {
    "limits": (
        "Limits of siblings and of the zygote",
        "for pid in others:\n    for n in range(16): attempt(f'limit {n} of {pid}', resource.prlimit, pid, n, (5, 5))",
        _refused,
    ),
    "priorities": (
        "Priority, processors and scheduling of siblings and of the zygote",
        "for pid in others:\n    attempt(f'nice {pid}', os.setpriority, os.PRIO_PROCESS, pid, 19)\n"
        "    attempt(f'group {pid}', os.setpriority, os.PRIO_PGRP, os.getpgid(pid), 19)\n"
        "    attempt(f'processors {pid}', os.sched_setaffinity, pid, [min(os.sched_getaffinity(0))])\n"
        "    attempt(f'idle {pid}', os.sched_setscheduler, pid, os.SCHED_IDLE, os.sched_param(0))\n"
        "attempt('user', os.setpriority, os.PRIO_USER, os.getuid(), 19)",
        _refused,
    ),
    "signals": (
        "Killing and stopping siblings",
        "for pid in others:\n    for n in (15, 19, 9) if pid != 1 else ():\n"
        "        attempt(f'signal {n} to {pid}', os.kill, pid, n)\n"
        "        attempt(f'signal {n} to the group of {pid}', os.killpg, os.getpgid(pid), n)\nsaid['tried'] = 'all'",
        _refused,
    ),
    "read": (
        "Reading siblings' folders",
        "for folder in ['/tmp', *folders]:\n    attempt(f'listed {folder}', os.listdir, folder)\n"
        "    attempt(f'read {folder}', lambda: open(folder + '/' + folder[5:] + '/file').read())",
        _refused,
    ),
    "write": (
        "Writing into siblings' folders",
        "for folder in folders:\n    path = folder + '/' + folder[5:] + '/file'\n"
        "    attempt(f'written {path}', lambda: open(path, 'w').write('x'))\n"
        "    attempt(f'removed {path}', os.unlink, path)\n    attempt(f'linked {path}', os.link, path, 'mine')\n"
        "    attempt(f'renamed {path}', os.rename, path, 'mine')\n    attempt(f'moved {folder}', os.rename, folder, '/tmp/x')\n"
        "    attempt(f'made {folder}', os.mkdir, folder + '/x')",
        _refused,
    ),
    "beside": (
        "Files beside its own folder",
        "for path in ('/tmp/x', '/tmp/s1', '/dev/mqueue/x', '/dev/shm/x', '/x'):\n"
        "    attempt(path, lambda: open(path, 'w'))\n    attempt(path + ' folder', os.mkdir, path + 'd')",
        _refused,
    ),
    "processes": (
        "Memory, environment, folders and descriptors of siblings' processes",
        "for pid in others:\n    for name in ('mem', 'environ', 'maps', 'cwd/file', 'root/etc/passwd', 'fd/0'):\n"
        "        attempt(f'{name} of {pid}', lambda: open(f'/proc/{pid}/{name}', 'rb').read(9))",
        _refused,
    ),
    "folder-modes": (
        "Mode, owner and times of the work folder",
        "attempt('closed', os.chmod, '/tmp', 0o500)\nattempt('given', os.chown, '/tmp', os.getuid(), -1)\n"
        "attempt('dated', lambda: os.utime('/tmp', ns=(1, 1)))",
        _refused,
    ),
    "own-everything": (
        "Lowering its own limits does not lower those of its siblings",
        "import signal\nos.nice(19)\nos.umask(0o777)\nos.chmod('.', 0)\nos.chmod('..', 0)\n"
        "for n in signal.valid_signals() - {9, 19, 17}: signal.signal(n, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5, 5))",
        _anything,
    ),
    "streams": (
        "Flags and owners of standard streams are its own",
        "import fcntl\nfor n in range(3):\n    fcntl.fcntl(n, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)\n"
        "    fcntl.fcntl(n, fcntl.F_SETOWN, 1)",
        _anything,
    ),
    "descriptors-in-flight": (
        "Descriptors sent with an answer, and sockets that keep each other and memory alive",
        _LINE
        + """
for _ in range(4):
    a, b = socket.socketpair()
    n = os.memfd_create('x')
    os.write(n, bytes(4 << 20))
    socket.send_fds(a, [b'x'], [a.fileno(), b.fileno(), n])
    os.close(n)
socket.send_fds(line, [b'v'], [0] * 200)""",
        _anything,
    ),
    "an-empty-message": ("Messages without bytes", _LINE + "for _ in range(9): line.send(b'')", _anything),
    "an-answer-while-it-asks": (
        "An answer while a request for a solution is under way",
        _LINE
        + """
line.send(b'A{"code": "import time; time.sleep(0.3)", "argv": null, "files": {}, "stdin": "", "entry": null, "calls": null, "timeout_seconds": 2, "memory_mb": 64}')
line.send(b'V{"value": {"messages": [], "done": true, "said": {}, "rewards": {"correct": 1.0}}}')
line.recv(1 << 17)""",
        _anything,
    ),
    "half-closed": ("Closing one direction of its connection", _LINE + "line.shutdown(socket.SHUT_RD)", _anything),
    "exit": ("Ending its own process", "os._exit(0)", _raises),
    "hang": ("Never answering", "import time\ntime.sleep(60)", _raises),
    "deep-answer": ("A value nested 1,000 deep", "v = 1\nfor _ in range(1000): v = [v]\nsaid['v'] = v", _raises),
    "nan-answer": ("NaN in its value", "said['v'] = float('nan')", _raises),
    "half-a-pair-answer": ("Half a surrogate pair in its value", "said['v'] = chr(0xD800)", _raises),
    "half-a-pair-in-its-words": ("Half a surrogate pair in an exception", "raise ValueError(chr(0xD800))", _raises),
    "large-answer": ("50 MB in its value", "said['v'] = 'x' * (50 << 20)", _raises),
    "words-without-end": ("Writing without end", _LINE + "while True: line.send(b'v' + b'x' * 60_000)", _raises),
    "requests-without-end": ("Asking without end", _LINE + "while True: line.send(b'a' + b'x' * 60_000)", _raises),
    "two-answers": (
        "A second answer to one request must not count as the answer to the next",
        _LINE
        + """
for _ in range(2): line.send(b'V{"value": {"messages": [], "done": true, "said": {}, "rewards": {"correct": 1.0}}}')
line.recv(1 << 17)""",
        _anything,
    ),
    "an-unknown-message": ("A message of an unknown kind", _LINE + "line.send(b'?')", _anything),
    "a-branch-that-nobody-asked-for": (
        "A branch that was not requested, with descriptors",
        _LINE + "a, b = socket.socketpair()\nsocket.send_fds(line, [b'B12345'], [a.fileno()])",
        _anything,
    ),
    "branches-of-others": (
        "A branch with the process id of a sibling",
        _LINE + "for pid in range(1, 60): line.send(b'B%d' % pid)",
        _anything,
    ),
    "fork-bomb": (
        "Forks until refused",
        "for _ in range(3000):\n    try:\n        if os.fork() == 0:\n            import time; time.sleep(60)\n"
        "    except OSError: break\nos._exit(0)",
        _raises,
    ),
    "hoard": (
        "Memory in unnamed files",
        "hoard = []\nwhile True:\n    hoard.append(os.memfd_create('x'))\n    os.write(hoard[-1], b'x' * (8 << 20))",
        _anything,
    ),
    **{
        f"raw-{name}": (
            f"{name}, sent without the guest's own checks",
            f'{_LINE}\nline.send(b\'V\' + b\'{{"value": {{"messages": [], "done": false, "said": \' + {value[:60_000]!r} + b\'}}}}\')',
            _raises,
        )
        for name, value in VALUES.items()
    },
    **{
        f"asks-{name}": (
            f"{name} as a request for a solution is refused",
            f"{_LINE}\nline.send(b'A' + {value[:60_000]!r})\nimport json\n"
            "reply = json.loads(line.recv(1 << 17)[1:])\nassert reply['error'], reply\nraise ValueError",
            _raises,
        )
        for name, value in VALUES.items()
    },
}
"""Name -> what is tried, the step of the hostile session, and the judge of its end."""
_MAY_END_THE_BOX = {"own-everything", "hoard", "fork-bomb"}
"""These may end the other sessions of their box (see threat_model.md). Later sessions must be unaffected."""


@dataclass(frozen=True)
class SessionAttempt:
    """One attempt from inside a session that shares its box."""

    name: str
    sentence: str
    program: str
    judge: Judge

    async def problem(self, sandbox: Sandbox) -> str:
        """Run it. Returns what is wrong with its end, its sibling or a later session, or an empty string."""
        with tempfile.TemporaryDirectory(prefix="verihub-attacks-") as folder:
            source = RUNNER.source(Path(folder))
            async with sandbox.session(source, TASK) as sibling, sandbox.session(source, TASK) as hostile:
                await sibling.reset()
                await hostile.reset()
                before = await _step(sibling, WORK)
                found = self.judge(await _step(hostile, _TRY + self.program))
                after = await _step(sibling, WORK)
                may_end = self.name.removeprefix("session-") in _MAY_END_THE_BOX and isinstance(after, SandboxError)
                if found or (after != before and not may_end):
                    return found or f"its sibling found {after!r:.500}, not {before!r:.500}"
            async with sandbox.session(source, TASK) as later:
                await later.reset()
                after = await _step(later, WORK)
                return "" if after == before else f"a later session found {after!r:.500}, not {before!r:.500}"


async def _step(session: Session, program: str) -> Answer:
    try:
        value = await session.step({"role": "assistant", "content": program})
    except SandboxError as error:
        return error
    said: dict[str, Any] = json.loads(json.dumps(value["said"]))
    return said


SESSIONS = [
    SessionAttempt(f"session-{name}", f"In a session: {sentence}", program, judge)
    for name, (sentence, program, judge) in _TRIES.items()
]
"""Every attempt of a session, by name."""

"""Mixes right and wrong programs with harmful ones. No verdict may change: ``scripts/soak poison``.

A harmful program ("poison") changes or uses up whatever it can reach, so that later programs in the same box might
fail. Half of the programs run in solution boxes, half in the process of a verifier that executes responses.
"""
# ruff: noqa: E501 -- a table of programs reads better with few line ends

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sandbox.backends import make_backend
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import SandboxError
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.verdict import Verdict

IN_SOLUTION_BOX = Sample(
    """
    import os
    from sandbox.guest import run_solution

    NICE = os.nice(0)

    def verify(task, response):
        ran = run_solution(code=f"NICE = {NICE}\\n{response}", entry="f", calls=[[3], [4]], timeout_seconds=5)
        return {"correct": float(not ran.error and ran.results == [{"value": 9}, {"value": 16}])}
    """,
    name="squares-in-a-box",
    timeout_seconds=20.0,
)
IN_PROCESS = Sample(
    """
    import os

    NICE = os.nice(0)

    def verify(task, response):
        scope = {"__name__": "solution", "NICE": NICE}
        exec(response, scope)
        return {"correct": float([scope["f"](3), scope["f"](4)] == [9, 16])}
    """,
    name="squares-in-process",
    timeout_seconds=5.0,
)
WORKING = """
import os, resource, subprocess, tempfile, threading
def f(n):
    with open("work", "w") as file:
        file.write("x" * 200_000)
    assert os.path.getsize("work") == 200_000
    with tempfile.TemporaryFile() as file:
        file.write(b"y" * 1000)
    os.unlink("work")
    pid = os.fork()
    if pid == 0:
        os._exit(7)
    assert os.waitpid(pid, 0)[1] == 7 << 8
    thread = threading.Thread(target=bytearray, args=[8 << 20])
    thread.start()
    thread.join()
    pipes = [os.pipe() for _ in range(10)]
    for pair in pipes:
        os.close(pair[0]), os.close(pair[1])
    assert os.nice(0) == NICE, os.nice(0)
    assert os.listdir("/tmp") == [], os.listdir("/tmp")
    return RESULT
"""
"""A program that needs what poison tries to spoil: files, processes, threads, memory, descriptors, an empty folder.

``NICE`` is the priority at the import of the verifier's module. Boxes inherit it from their engine, so it may not be 0.
"""
RIGHT = (WORKING.replace("RESULT", "n * n"), "def f(n):\n    return n * n\n")
WRONG = (WORKING.replace("RESULT", "n + n"), "def f(n):\n    return n\n")
_BEGIN = """
import ctypes, os, resource, signal, socket, sys, time
def attempt(function, *arguments):
    try:
        return function(*arguments)
    except (OSError, ValueError):
        pass
others = {1, os.getppid()}
"""
POISON = {
    "folder": "for mode in (0o500, 0, 0o1731): attempt(os.chmod, '/tmp', mode)\nattempt(os.utime, '/tmp', (1, 1))",
    "limits": "for pid in others:\n    for number in range(16): attempt(resource.prlimit, pid, number, (0, 0))",
    "some limits": "for pid in others:\n    for number in range(16): attempt(resource.prlimit, pid, number, (8, 8))",
    "own limits": "for number in range(1, 16):\n    if number not in (7, 9): attempt(resource.setrlimit, number, (0, 0))",
    "priority": "for pid in others: attempt(os.setpriority, 0, pid, 19)\nattempt(os.setpriority, 2, os.getuid(), 19)",
    "processors": "for pid in others: attempt(os.sched_setaffinity, pid, [min(os.sched_getaffinity(0))])",
    "scheduling": "for pid in others: attempt(os.sched_setscheduler, pid, 5, os.sched_param(0))",
    "disk priority": "for pid in others: ctypes.CDLL(None).syscall(251, 1, pid, 3 << 13)",
    "signals": "for number in signal.valid_signals() - {9, 19}:\n    attempt(os.kill, 1, number)",
    "end the parent": "os.kill(os.getppid(), 9)",
    "stop the zygote": "os.kill(1, 19)\nos.kill(1, 9)",
    "end everybody": "os.kill(-1, 9)",
    "a file": "open('work', 'w').write('x')",
    "a locked tree": "os.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.chmod('a/b', 0)\nos.chmod('a', 0)",
    "a deep tree": "for _ in range(60):\n    os.mkdir('d')\n    os.chdir('d')",
    "links": "os.symlink('/', 'work')",
    "a full folder": "n = 0\nwhile attempt(lambda: open(f'{n}', 'wb').write(bytes(1 << 20))): n += 1",
    "many files": "n = 0\nwhile attempt(lambda: [open(f'{n}', 'wb').close()]): n += 1",
    "a daemon": "if os.fork() == 0:\n    os.setsid()\n    while True: open('work', 'w').write('x')",
    "sleepers": "for _ in range(20):\n    if os.fork() == 0: time.sleep(60)",
    "patches": "import builtins, json\nbuiltins.len = builtins.open = None\njson.dumps = json.loads = None\nos.fork = None",
    "descriptors": "os.closerange(0, 1024)",
    "flags": "import fcntl\nfor n in range(64): attempt(fcntl.fcntl, n, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)",
    "queues": "for path in ('/dev/mqueue/x', '/dev/shm/x', '/var/tmp/x'): attempt(open, path, 'w')",
    "score": "for pid in (1, 'self'): attempt(lambda: open(f'/proc/{pid}/oom_score_adj', 'w').write('1000'))",
    "umask": "os.umask(0o777)\nos.chdir('/')",
    "memory": "x = bytearray(4 << 30)",
    "exit": "os._exit(0)",
    "crash": "ctypes.string_at(0)",
    "nested": "def f(n):\n    v = n\n    for _ in range(979): v = [v]\n    return v",
    "control characters": "def f(n): return chr(1) * 200_000",
    "half a pair": "def f(n): return chr(0xD800)",
}
"""Poison by name: what it does to harm later programs."""


@dataclass
class PoisonReport:
    """Counts. ``changed``: verdicts of right and wrong programs that changed; ``masked``: those that became null;
    ``rewarded``: poison that was judged right.
    """

    programs: int = 0
    poison: int = 0
    changed: int = 0
    masked: int = 0
    rewarded: int = 0
    boxes_lost: int = 0
    seconds: float = 0.0
    first: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not (self.changed or self.masked or self.rewarded)


def programs(count: int, share: float, seed: int) -> Iterator[tuple[str, str]]:
    """``(kind, program)`` of ``count`` programs; ``share`` of them is poison."""
    chosen = random.Random(seed)  # noqa: S311 -- no secret
    kinds = list(POISON)
    for _ in range(count):
        if chosen.random() < share:
            kind = chosen.choice(kinds)
            yield f"poison: {kind}", _BEGIN + POISON[kind] + "\n"
        elif chosen.random() < 0.5:
            yield "right", chosen.choice(RIGHT)
        else:
            yield "wrong", chosen.choice(WRONG)


async def judge_all(
    sandbox: Sandbox, source: Source, count: int, share: float, seed: int, report: PoisonReport
) -> None:
    """Judge ``count`` programs by the package ``source``."""
    kinds = {}

    async def calls() -> AsyncIterator[Call]:
        for number, (kind, program) in enumerate(programs(count, share, seed)):
            kinds[str(number)] = kind
            yield Call(str(number), TASK, response=program)

    async for ident, verdict in sandbox.score(source, calls()):
        _count(report, kinds.pop(ident), verdict)
        if report.programs % 1000 == 0:
            _say(f"{report.programs:,} programs, {report.changed} changed, {report.masked} masked")
    assert not kinds, f"{len(kinds)} programs without a verdict"


def _count(report: PoisonReport, kind: str, verdict: Verdict) -> None:
    report.programs += 1
    reward = verdict.rewards["correct"]
    if kind.startswith("poison"):
        report.poison += 1
        report.rewarded += reward == 1.0
        is_right = reward != 1.0
    else:
        report.masked += reward is None
        report.changed += reward is not None and reward != float(kind == "right")
        is_right = reward == float(kind == "right")
    if not is_right and len(report.first) < 10:
        report.first.append(f"{kind}: {verdict}")


async def run(count: int, share: float, seed: int, backend: str = "docker") -> PoisonReport:
    """Half of ``count`` programs in solution boxes, half in the process of a verifier."""
    settings = SandboxSettings()
    report, started = PoisonReport(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="verihub-poison-") as folder:
        async with Sandbox(make_backend(backend, settings), settings) as sandbox:
            for part, sample in enumerate((IN_SOLUTION_BOX, IN_PROCESS)):
                source = sample.source(Path(folder))
                await judge_all(sandbox, source, count // 2, share, seed + part, report)
            report.boxes_lost = int(sandbox.metrics.total("boxes_lost"))
    report.seconds = time.monotonic() - started
    return report


def main() -> None:
    """``scripts/soak poison``."""
    parser = argparse.ArgumentParser(prog="scripts/soak poison", description=__doc__)
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--share", type=float, default=0.05, help="of the programs that are poison (0.05)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", default="human", choices=("human", "json"))
    options = parser.parse_args()
    try:
        report = asyncio.run(run(options.programs, options.share, options.seed))
    except SandboxError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(8)
    if options.format == "json":
        sys.stdout.write(json.dumps(asdict(report)) + "\n")
    else:
        sys.stdout.write(_sentence(report) + "".join(f"  {line}\n" for line in report.first))
    sys.exit(0 if report.is_clean else 6)


def _sentence(report: PoisonReport) -> str:
    return (
        f"{report.programs:,} programs, {report.poison:,} of them poison, in {report.seconds:.0f} s: "
        f"{report.changed} verdicts changed, {report.masked} masked, {report.rewarded} poison rewarded, "
        f"{report.boxes_lost} boxes lost\n"
    )


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()

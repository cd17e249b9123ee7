"""Packages that take over the guest during their import.

Their rewards must be null, and other packages must not be affected.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from sandbox.checks.attacks.attempt import FAILED, FAIR_SECONDS, HOST_FAULT, MEMORY, OUTPUT, TIMEOUT, judge_call
from sandbox.checks.samples import Sample
from sandbox.sandbox import Sandbox

_SAY = """
import os
from sandbox.guest import frames

def say(kind, payload, ident=0):
    for number in range(40, 64):
        try:
            os.write(number, frames.pack(kind, ident, payload))
        except OSError:
            pass
"""
_ANSWER = """
from sandbox.guest.call_groups import CallGroups

def answer(do):
    CallGroups.run = lambda self, ident, length: do(self._line, ident)

def outcome(status, is_stale=False):
    return frames.OUTCOME.pack(status, 0, 1, 1, 1, 0, is_stale)

def for_ever(line, kind, ident, payload, seconds):
    import time
    while True:
        line.write(kind, ident, payload)
        time.sleep(seconds)

def reply(line, ident, body):
    line.write(frames.CHUNK, ident, frames.REPLY.pack(len(body), 0, 1) + body)
    line.write(frames.DONE, ident, outcome(frames.FINISHED))

def twice(line, ident, body):
    line.write(frames.CHUNK, ident, 2 * (frames.REPLY.pack(len(body), 0, 1) + body))
    line.write(frames.DONE, ident, outcome(frames.FINISHED))
"""
_VERIFY = "\ndef verify(task, response):\n    return {'correct': 1.0}\n"
_GOOD = Sample(_VERIFY, name="good", timeout_seconds=FAIR_SECONDS)

_AT_IMPORT = {
    "ready-as-a-list": "say(frames.READY, b'[]')",
    "ready-with-a-word-for-a-number": """say(frames.READY, b'{"import_seconds": "soon"}')""",
    "ready-with-nan": """say(frames.READY, b'{"import_seconds": NaN}')""",
    "ready-with-1e999": """say(frames.READY, b'{"import_seconds": 1e999, "warm_seconds": 1}')""",
    "ready-with-half-a-pair": """say(frames.READY, b'{"python": "\\\\ud800"}')""",
    "ready-in-half": "say(frames.READY, b'{')",
    "ready-1000-levels": "say(frames.READY, b'[' * 1000 + b']' * 1000)",
    "ready-100000-levels": "say(frames.READY, b'[' * 100_000)",
    "ready-50-mb": "say(frames.READY, b'x' * (50 << 20))",
    "ready-twice": "say(frames.READY, b'{}')\nsay(frames.READY, b'{}')",
    "ready-too-early": "say(frames.READY, b'{}')",
    "failed-through-the-host": """say(frames.FAILED, b'{"kind": "host", "message": "sorry"}')""",
    "failed-as-a-list": "say(frames.FAILED, b'[]')",
    "failed-with-nan": """say(frames.FAILED, b'{"kind": NaN, "message": 1e999}')""",
    "failed-with-half-a-pair": """say(frames.FAILED, b'{"kind": "memory", "message": "\\\\ud800"}')""",
    "failed-1000-levels": """say(frames.FAILED, b'{"kind": "memory", "message": ' + b'[' * 1000)""",
    "failed-50-mb": "say(frames.FAILED, b'x' * (50 << 20))",
    "a-frame-that-does-not-exist": "say(99, b'')",
    "a-frame-of-4-gb": "[os.write(n, b'\\xff' * 64) for n in range(40, 64) if os.path.exists(f'/proc/self/fd/{n}')]",
    "done-before-anything-was-asked": "say(frames.DONE, bytes(frames.OUTCOME.size), 1)",
    "a-session-that-nobody-opened": "say(frames.SAID, b'\\x01{}', 7)",
}
_WHEN_ASKED = {
    "sent-back": "answer(lambda line, ident: line.write(frames.DONE, ident, outcome(frames.RETURNED)))",
    "sent-back-stale": "answer(lambda line, ident: line.write(frames.DONE, ident, outcome(frames.RETURNED, True)))",
    "finished-without-a-reply": "answer(lambda line, ident: line.write(frames.DONE, ident, outcome(frames.FINISHED)))",
    "no-such-status": "answer(lambda line, ident: line.write(frames.DONE, ident, outcome(200)))",
    "a-short-outcome": "answer(lambda line, ident: line.write(frames.DONE, ident, b'x'))",
    "done-twice": "answer(lambda line, ident: [line.write(frames.DONE, ident, outcome(5)) for _ in range(2)])",
    "two-answers-to-one-call": 'answer(lambda line, ident: twice(line, ident, b\'{"rewards": {"correct": 1.0}}\'))',
    "progress-for-ever": "answer(lambda line, ident: for_ever(line, frames.CHUNK, ident, b'', 0.2))",
    "requests-for-ever": "answer(lambda line, ident: for_ever(line, frames.ASK, ident, b'\\x01{}', 0.01))",
    "parts-of-a-request-for-ever": "answer(lambda line, ident: for_ever(line, frames.ASK, ident, b'\\x00', 0.2))",
    "a-sessions-words": "answer(lambda line, ident: line.write(frames.SAID, ident, b'\\x01{}'))",
    "an-answer-for-another": 'answer(lambda line, ident: reply(line, ident + 1, b\'{"rewards": {"correct": 1.0}}\'))',
    "a-reply-with-nan": 'answer(lambda line, ident: reply(line, ident, b\'{"rewards": {"correct": NaN}}\'))',
    "a-reply-of-1000-levels": "answer(lambda line, ident: reply(line, ident, b'[' * 1000 + b']' * 1000))",
    "a-reply-of-50-mb": "answer(lambda line, ident: for_ever(line, frames.CHUNK, ident, b'x' * (1 << 20), 0))",
    "requests-with-nan": "answer(lambda line, ident: line.write(frames.ASK, ident, b'\\x01NaN'))",
    "a-request-without-its-mark": "answer(lambda line, ident: line.write(frames.ASK, ident, b''))",
}
_PATCHES = {
    "no-comparison": """
from sandbox.guest.baseline import Baseline
Baseline.find_change = lambda self: ""
def verify(task, response):
    os.kill(os.getpid(), 9)
""",
    "no-wiping": """
from sandbox.guest import cleanup
cleanup.wipe = lambda folder: True
cleanup.kill_leftovers = lambda leader: 0
def verify(task, response):
    if os.fork() == 0:
        while True: open("x", "w").write("x")
    os._exit(3)
""",
    "handlers-and-alarms": """
import signal, sys
for number in signal.valid_signals() - {9, 19}:
    signal.signal(number, lambda *_: os._exit(1))
signal.setitimer(signal.ITIMER_REAL, 0.3, 0.3)
def verify(task, response):
    os.kill(1, signal.SIGTERM)
    raise SystemExit
""",
    "threads-in-the-zygote": """
import threading, time
def spoil():
    while True:
        time.sleep(0.01)
        say(99, b"")
threading.Thread(target=spoil, daemon=True).start()
def verify(task, response):
    time.sleep(0.5)  # so that the thread speaks before the verdict
    return {'correct': 1.0}
""",
    "exit-hooks": """
import atexit
atexit.register(os._exit, 0)
os._exit = lambda code: None
def verify(task, response):
    raise SystemExit
""",
    "a-second-answer-of-the-child": """
from sandbox.guest import call_loop
def serve_group(line, request, spans, answer):
    body = b'{"rewards": {"correct": 1.0}}'
    for _ in range(2):
        os.write(line, b"E" + frames.REPLY.pack(len(body), 0, 1) + body)
call_loop.serve_group = serve_group
""",
    "a-hook-that-ends-the-zygote": """
os.register_at_fork(after_in_parent=lambda: os._exit(0))
""",
    "a-hook-that-ends-every-call": """
os.register_at_fork(after_in_child=lambda: os._exit(0))
""",
    "no-streams-and-no-lines": """
os.closerange(0, 64)
""",
    "other-files-for-the-streams": """
import os.path
def dup2(*_, **__): raise OSError(9, "no")
os.dup2 = dup2
""",
    "an-audit-hook": """
import sys
def hook(event, arguments):
    if event in ("os.fork", "socket.__new__", "open"): raise RuntimeError("no")
sys.addaudithook(hook)
def verify(task, response): raise ValueError("x")
""",
    "a-reader-that-lies": """
from sandbox.guest.child import Child
Child.receive = lambda self, line: 0
""",
    "its-own-limit": """
from sandbox.guest.clock import Clock
Clock.remaining = lambda self: 60.0
def verify(task, response): time.sleep(99)
import time
""",
    "no-fork": """
os.fork = None
from sandbox.guest import cheap_fork
cheap_fork.cheapest_fork = lambda **_: (lambda: 1 / 0)
""",
    "limits-at-import": """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
""",
}
_SILENT = {
    "parts-of-a-request-for-ever",
    "requests-with-nan",
    "a-hook-that-ends-the-zygote",
    "its-own-limit",
    "no-fork",
}
"""The host cannot tell these from boxes that were frozen or ended from outside: they go silent without ending their
call.
"""


@dataclass(frozen=True)
class PackageAttempt:
    """A package that attacks from its import on."""

    name: str
    sentence: str
    code: str

    async def problem(self, sandbox: Sandbox) -> str:
        """Run it. Returns what is wrong with its verdict or with that of a good package afterwards, or an empty
        string.
        """
        kinds = (HOST_FAULT,) if self.name.removeprefix("package-") in _SILENT else (FAILED, TIMEOUT, OUTPUT, MEMORY)
        with tempfile.TemporaryDirectory(prefix="verihub-attacks-") as folder:
            hostile = Sample(self.code, name="hostile", isolation="call", timeout_seconds=1.0).source(Path(folder))
            verdict = await judge_call(sandbox, hostile, "x")
            verdict.model_dump_json()
            if verdict.rewards != {"correct": None} or verdict.error is None or verdict.error.kind not in kinds:
                return f"it got {verdict}"
            good = await judge_call(sandbox, _GOOD.source(Path(folder)), "x")
            return "" if good.rewards == {"correct": 1.0} else f"a good package got {good}"


def _attempts() -> list[PackageAttempt]:
    groups = (
        ("While it is imported, a package says", _AT_IMPORT, _SAY + "{}" + _VERIFY),
        ("When it is asked, a package answers in the guest's place", _WHEN_ASKED, _SAY + _ANSWER + "{}" + _VERIFY),
        ("A package patches the guest", _PATCHES, _SAY + _VERIFY + "{}"),
    )
    return [
        PackageAttempt(f"package-{name}", f"{words}: {name.replace('-', ' ')}", text.replace("{}", code, 1))
        for words, group, text in groups
        for name, code in group.items()
    ]


PACKAGES = _attempts()
"""Every hostile package, by name."""

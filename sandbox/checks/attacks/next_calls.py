"""The calls after an attempt: they write a file, fork, run a solution and report their limits."""

import json
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from sandbox.checks.samples import TASK
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox

_AT_ONCE = 4  # so that each of two verifier boxes and two solution boxes gets one
_LOOK = """
import codecs, ctypes, decimal, gc, locale, os, resource, signal, socket, sys, threading, time, warnings
libc = ctypes.CDLL(None)
# timer slack, dumps, huge pages, time stamps, secure bits
_PRCTL = (30, 3, 42, 27)

def autogroup():
    try:
        with open("/proc/self/autogroup") as file:
            return file.read().split()[-1]
    except OSError:
        return None

def look():
    with open("next", "w") as file:
        file.write("x" * 100_000)
    pid = os.fork()
    if pid == 0:
        os._exit(7)
    mask = os.umask(0)
    limits = [resource.getrlimit(number) for number in range(16) if number != resource.RLIMIT_AS]
    facts = {
        "written": os.path.getsize("next"),
        "forked": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]),
        "limits": limits,
        "has memory": len(bytearray(32 << 20)) >> 20,
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "processors": sorted(os.sched_getaffinity(0)),
        "umask": mask,
        "folder": [os.getcwd(), os.stat("/tmp").st_mode, os.stat("/tmp").st_uid, os.listdir("/tmp")],
        "handlers": sorted(number for number in signal.valid_signals() if signal.getsignal(number) == signal.SIG_DFL),
        "signals": [len(signal.pthread_sigmask(signal.SIG_BLOCK, ())), len(signal.sigpending())],
        "timers": [signal.getitimer(which) for which in range(3)],
        "settings": [libc.prctl(number, 0, 0, 0, 0) for number in _PRCTL],
        "watches": [libc.inotify_init1(0) >= 0 for _ in range(4)],
        "scheduled": [os.sched_getscheduler(0), libc.syscall(252, 1, 0), autogroup()],
        "interpreter": [sys.getrecursionlimit(), sys.get_int_max_str_digits(), gc.isenabled(), gc.get_threshold(),
                        sys.getswitchinterval(), len(sys.meta_path), len(sys.path_hooks), len(warnings.filters),
                        threading.excepthook is threading.__excepthook__, hash("verihub"), "TZ" in os.environ,
                        sorted(os.environ), time.tzname, decimal.getcontext().prec, locale.setlocale(locale.LC_ALL),
                        socket.getdefaulttimeout(), codecs.lookup("utf-8").name, libc.fegetround()],
    }
    os.unlink("next")
    return facts
"""
_PROGRAM = f"""
{_LOOK}
from sandbox.guest import run_solution
info["call"] = look()
ran = run_solution(code={_LOOK!r}, entry="look", args=[], timeout_seconds=20)
info["solution"] = [ran.result, ran.error]
"""
_fresh: "WeakKeyDictionary[Sandbox, dict[str, dict[str, Any]]]" = WeakKeyDictionary()
"""What calls find in fresh boxes, by the boxes' Python: each version has its own limits."""


async def remember_fresh_boxes(sandbox: Sandbox, source: Source) -> None:
    """Record what calls find in fresh boxes with the Python of ``source``. Call this before the first attempt."""
    known = _fresh.setdefault(sandbox, {})
    if source.python not in known:
        [facts, *_] = await _look_around(sandbox, source)
        assert facts["solution"][1] == "", facts
        known[source.python] = facts


async def next_calls_problem(sandbox: Sandbox, source: Source) -> str:
    """How the next calls differ from calls in a fresh box, or an empty string."""
    fresh = _fresh[sandbox][source.python]
    for facts in await _look_around(sandbox, source):
        if facts != fresh:
            return f"the next call found {_difference(facts, fresh)}"
    return ""


async def _look_around(sandbox: Sandbox, source: Source) -> list[dict[str, Any]]:
    calls = [Call(str(number), TASK, response=_PROGRAM) for number in range(_AT_ONCE)]
    seen = []
    async for _, verdict in sandbox.score(source, calls):
        facts: dict[str, Any] = json.loads(json.dumps(verdict.info))
        seen.append(facts if verdict.error is None else {"error": str(verdict.error)})
    return seen


def _difference(facts: Mapping[str, Any], fresh: Mapping[str, Any]) -> str:
    if facts.keys() != fresh.keys():
        return str(facts)
    found = []
    for where, before in (("call", fresh["call"]), ("solution", fresh["solution"][0])):
        now = facts["call"] if where == "call" else facts["solution"][0] or {"error": facts["solution"][1]}
        found += [
            f"{where}: {name} {now.get(name, now)}, not {old}" for name, old in before.items() if now.get(name) != old
        ]
    return "; ".join(found)[:2000]

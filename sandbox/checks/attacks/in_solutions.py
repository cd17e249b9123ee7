"""Attempts of a model's program in a solution box: against its supervisor, its clock, and later programs."""
# ruff: noqa: E501 -- a table of programs reads better with few line ends

from sandbox.checks.attacks.attempt import (
    FAILED,
    MEMORY,
    OUTPUT,
    TIMEOUT,
    Attempt,
    Judge,
    fails,
    is_starved,
)
from schemas.verdict import Verdict

_ROW = 75
_REPORT = """
from sandbox.guest import run_solution
ran = run_solution(code={code!r}, entry={entry!r}, timeout_seconds={seconds!r})
info.update(error=ran.error, result=repr(ran.result)[:100], files=len(ran.files), timed_out=ran.timed_out)
"""


def _fails(verdict: Verdict) -> str:
    """A judge: the program failed by its own fault."""
    if verdict.error is not None:
        return f"no record: {verdict.error}"
    return "" if verdict.info["error"] and verdict.info["result"] == "None" else f"recorded {verdict.info}"


def _is_late(verdict: Verdict) -> str:
    """A judge: the program ran until its time limit. A call without enough processor time to get there passes too."""
    if is_starved(verdict):
        return ""
    return _fails(verdict) or ("" if verdict.info["timed_out"] else f"recorded {verdict.info}")


def _gives(value: object) -> Judge:
    """A judge: the program returned ``value``."""

    def judge(verdict: Verdict) -> str:
        if verdict.error is not None:
            return f"no record: {verdict.error}"
        is_it = verdict.info["result"] == repr(value) and not verdict.info["error"]
        return "" if is_it else f"recorded {verdict.info}"

    return judge


def _ends(verdict: Verdict) -> str:
    """A judge: no right result. The program failed, its call failed by its fault, or it was ended before its limit."""
    if is_starved(verdict):
        return ""
    return _fails(verdict) if verdict.error is None else fails(FAILED, MEMORY, OUTPUT, TIMEOUT)(verdict)


def _ends_or(*values: object) -> Judge:
    """A judge: the program returned one of ``values``, or failed by its own fault."""

    def judge(verdict: Verdict) -> str:
        problems = [_ends(verdict), *(_gives(value)(verdict) for value in values)]
        return "" if "" in problems else problems[0]

    return judge


def _returns(text: str) -> str:
    return f"def f():\n    return {text}\n"


def _does(text: str) -> str:
    """The code of a function that runs ``text`` and returns 42."""
    return (
        "import os, sys, time\ndef f():\n" + "".join(f"    {line}\n" for line in text.splitlines()) + "    return 42\n"
    )


_NEST = "def f():\n    v = 1\n    for _ in range({}):\n        v = [v]\n    return v\n"
_HOARD = "hoard = []\nwhile True:\n    {}"
_RUNS: dict[str, tuple[str, str, Judge]] = {
    "kill-the-supervisor": ("Ending the supervisor", _does("os.kill(os.getppid(), 9)"), _ends),
    "stop-the-supervisor": ("Stopping the supervisor", _does("os.kill(os.getppid(), 19)\ntime.sleep(60)"), _ends),
    "end-the-supervisor-politely": (
        "Every other signal to the supervisor and the zygote",
        _does(
            "import signal\nfor n in signal.valid_signals() - {9, 19}:\n    os.kill(1, n)\n    os.kill(os.getppid(), n)"
        ),
        _ends,
    ),
    "kill-all": ("kill(-1, SIGKILL)", _does("os.kill(-1, 9)"), _ends),
    "leave-early": ("os._exit(0) before the answer", _does("os._exit(0)"), _fails),
    "leave-early-politely": ("sys.exit(0) is no answer", _does("sys.exit(0)"), _fails),
    "leave-at-import": ("os._exit(0) before there is a function", "import os\nos._exit(0)\n", _fails),
    "crash": ("A segmentation fault", _does("import ctypes\nctypes.string_at(0)"), _fails),
    "spin": ("A loop that never ends", _does("while True:\n    pass"), _is_late),
    "sleep": ("Sleeping past the deadline", _does("time.sleep(60)"), _is_late),
    "deaf-and-late": (
        "Ignoring every signal, including the one of the CPU time limit",
        _does(
            "import signal\nfor n in signal.valid_signals() - {9, 19}:\n    signal.signal(n, 1)\nwhile True:\n    pass"
        ),
        _is_late,
    ),
    "busy-children": (
        "Children that use the processor count against its time",
        _does("for _ in range(5):\n    if os.fork() == 0:\n        while True: pass\nwhile True:\n    pass"),
        _is_late,
    ),
    "hidden-children": (
        "Children in another process session, which nobody reaps, count too",
        _does(
            "import signal\nsignal.signal(signal.SIGCHLD, 1)\nfor _ in range(5):\n    if os.fork() == 0:\n"
            "        os.setsid()\n        end = time.monotonic() + 0.3\n        while time.monotonic() < end: pass\n"
            "        os._exit(0)\nwhile True:\n    pass"
        ),
        _is_late,
    ),
    "fork-bomb-in-a-solution": ("Forks until refused", _does("while True:\n    os.fork()"), _ends),
    "memory-in-a-solution": (
        "Allocating memory without end",
        _does(_HOARD.format("hoard.append(bytearray(1 << 24))")),
        _ends,
    ),
    "memory-of-children": (
        "Children that together allocate more memory than the box has",
        _does(
            "for _ in range(8):\n    if os.fork() == 0:\n        x = bytearray(b'x') * (120 << 20)\n        time.sleep(60)\ntime.sleep(60)"
        ),
        _ends,
    ),
    "hoard-unnamed-files": (
        "Memory in unnamed files, which belongs to no process",
        _does(_HOARD.format("hoard.append(os.memfd_create('x'))\n    os.write(hoard[-1], b'x' * (8 << 20))")),
        _ends,
    ),
    "hoard-in-pipes": (
        "Memory in pipes and sockets",
        _does(
            "import socket\nhoard = []\nwhile True:\n    try:\n        hoard.append(socket.socketpair())\n"
            "        hoard[-1][0].setblocking(False)\n        while True: hoard[-1][0].send(bytes(65536))\n"
            "    except BlockingIOError: pass\n    except OSError:\n        if os.fork(): time.sleep(60)\n        hoard = []"
        ),
        _ends,
    ),
    "hoard-shared-memory": (
        "Shared memory without a file",
        _does(
            "import mmap\n"
            + _HOARD.format("hoard.append(mmap.mmap(-1, 8 << 20))\n    hoard[-1].write(b'x' * (8 << 20))")
        ),
        _ends,
    ),
    "fill-the-folder": (
        "Filling the folder ends at its size limit",
        _does("n = 0\nwhile True:\n    n += 1\n    with open(str(n), 'wb') as file: file.write(bytes(1 << 20))"),
        _fails,
    ),
    "many-files-in-a-solution": (
        "Empty files end at the inode limit",
        _does("n = 0\nwhile True:\n    n += 1\n    open(str(n), 'wb').close()"),
        _fails,
    ),
    "leave-a-locked-tree": (
        "A tree without permissions is wiped",
        _does("os.makedirs('a/b/c')\nopen('a/b/c/d', 'w').close()\nos.chmod('a/b', 0)\nos.chmod('a', 0)"),
        _gives(42),
    ),
    "leave-a-deep-tree": (
        "A tree of folders that is deeper than the longest path is wiped, or the box is replaced",
        _does("for _ in range(600):\n    os.mkdir('deeper')\n    os.chdir('deeper')"),
        _gives(42),
    ),
    "leave-more-levels-than-our-own-code-may-call": (
        "A thousand folders with short names below each other are no fault of the host",
        _does(
            "for _ in range(1010):\n    try:\n        os.mkdir('a')\n        os.chdir('a')\n    except OSError: break"
        ),
        _gives(42),
    ),
    "leave-links": (
        "Links out of the folder are not followed",
        _does("os.symlink('/etc/passwd', 'link')\nos.symlink('/', 'root')"),
        _gives(42),
    ),
    "leave-a-daemon": (
        "A daemon in another process session is gone for the next program",
        _does(
            "if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n    while True: open('again', 'w').write('x')"
        ),
        _gives(42),
    ),
    "leave-a-hoard-of-processes": (
        "Sleeping children without number",
        _does("for _ in range(30):\n    if os.fork() == 0: time.sleep(60)"),
        _gives(42),
    ),
    "patch-what-is-shared": (
        "Patched builtins, json, os and our own modules end with their program",
        _does(
            "import builtins, json, gc\nfor name, module in list(sys.modules.items()):\n    if name.startswith('sandbox'):\n"
            "        for key in list(vars(module)):\n            if not key.startswith('__'): setattr(module, key, None)\n"
            "json.dumps = builtins.print = None"
        ),
        _ends,
    ),
    "direct-reading": (
        "Flags of its streams that make reading them fail",
        _does(
            "import fcntl\nfor n in (1, 2, 3):\n    for flag in (os.O_DIRECT, os.O_APPEND | os.O_NONBLOCK):\n"
            "        try: fcntl.fcntl(n, fcntl.F_SETFL, flag)\n        except OSError: pass"
        ),
        _ends_or(42),
    ),
    "sparse-streams": (
        "Output streams that are as large as a file may be",
        _does("for n in (1, 2, 3): os.ftruncate(n, 8 << 20)"),
        fails(OUTPUT),
    ),
    "a-daemon-that-edits-results": (
        "A process in another process session that writes results after the end",
        _does(
            "if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n"
            "    while True:\n        os.pwrite(3, b'{\"value\": 43}\\n', 0)\n        os.ftruncate(3, 12)"
        ),
        _ends_or(42, 43),
    ),
    "leave-odd-files": (
        "File names that are not UTF-8, sockets, loops of links, and files without permissions",
        _does(
            "import socket\nsocket.socket(socket.AF_UNIX).bind('socket')\nos.mkdir(b'\\xff' * 200)\n"
            "open(b'\\xff' * 255, 'w').write('x')\nos.symlink('.', 'loop')\nopen('no', 'w').write('x')\nos.chmod('no', 0)\n"
            "open('bytes', 'wb').write(b'\\xff')\nopen('large', 'w').write('x' * 300_000)"
        ),
        _gives(42),
    ),
    "more-rows-than-calls": (
        "Thousands of results for one call: the first one counts",
        _does("for n in range(3000): os.write(3, b'{\"value\": 42}\\n')"),
        _gives(42),
    ),
    "asks-for-a-solution": (
        "A program cannot use run_solution itself",
        _does("from sandbox.guest import run_solution\nreturn run_solution(code='print(1)').stdout"),
        _fails,
    ),
    "locks-of-streams": (
        "Locks on its streams end with it",
        _does("import fcntl\nfor n in range(4): fcntl.flock(n, fcntl.LOCK_EX)"),
        _gives(42),
    ),
    "no-room-for-results": (
        "A full folder, which leaves no room for the program's own results",
        _does(
            "import resource\ntry:\n    n = 0\n    while True:\n        n += 1\n"
            "        with open(str(n), 'wb') as file: file.write(bytes(1 << 20))\nexcept OSError: pass"
        ),
        _ends_or(42),
    ),
    "close-every-descriptor": ("Closing every descriptor", _does("os.closerange(0, 1024)"), _fails),
    "results-without-end": ("Results without end", _does("while True:\n    os.write(3, b'x' * 65536)"), _ends),
    "output-without-end": ("Output without end", _does("while True:\n    os.write(1, b'x' * 65536)"), _ends),
    "returns-nan": ("NaN is no value", _returns("float('nan')"), _fails),
    "returns-infinity": ("Infinity is no value", _returns("[-float('inf')]"), _fails),
    "returns-half-a-pair": ("Half a surrogate pair is no text", _returns("chr(0xD800)"), _fails),
    "returns-a-half-pair-as-a-key": ("Half a surrogate pair is no key", _returns("{chr(0xDFFF): 1}"), _fails),
    "returns-1000-levels": ("A value nested 1,000 deep", _NEST.format(1000), _fails),
    "returns-979-levels": ("A value nested as deep as a decoder can just follow", _NEST.format(979), _fails),
    "returns-201-levels": ("A value one level deeper than is promised", _NEST.format(201), _fails),
    "returns-a-loop": ("A list that holds itself", "def f():\n    v = []\n    v.append(v)\n    return v\n", _fails),
    "returns-no-json": ("A set is no JSON", _returns("{1, 2}"), _fails),
    "returns-a-liar": (
        "An integer that says that it equals everything arrives as a number",
        "class Liar(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\ndef f(): return Liar(7)\n",
        _gives(7),
    ),
    "returns-a-huge-integer": ("An integer of 5,000 digits", _returns("10 ** 5000"), _fails),
    "returns-50-mb": ("50 MB are neither right nor wrong", _returns("'x' * (50 << 20)"), fails(OUTPUT, FAILED)),
    "returns-too-many-numbers": (
        "150,000 integers are neither right nor wrong",
        _returns("list(range(150_000))"),
        fails(OUTPUT),
    ),
    "returns-control-characters": ("100,000 control characters too", _returns("chr(1) * 100_000"), fails(OUTPUT)),
    "raw-nan-result": (
        "NaN, sent without the guest's own checks",
        _does("os.write(3, b'{\"value\": NaN}\\n')\nos._exit(0)"),
        _fails,
    ),
    "raw-1e999-result": ("1e999", _does("os.write(3, b'{\"value\": 1e999}\\n')\nos._exit(0)"), _fails),
    "raw-half-pair-result": ("Half a pair", _does('os.write(3, b\'{"value": "\\\\ud800"}\\n\')\nos._exit(0)'), _fails),
    "raw-1000-levels-result": (
        "1,000 levels",
        _does("os.write(3, b'{\"value\": ' + b'[' * 1000 + b']' * 1000 + b'}\\n')\nos._exit(0)"),
        _fails,
    ),
    "raw-100000-levels-result": (
        "100,000 levels, never closed",
        _does("os.write(3, b'{\"value\": ' + b'[' * 100_000 + b'\\n')\nos._exit(0)"),
        _fails,
    ),
    "raw-50-mb-result": (
        "50 MB",
        _does("import resource\nfor _ in range(50): os.write(3, b'x' * (1 << 20))\nos._exit(0)"),
        _ends,
    ),
    "raw-other-shape-result": (
        "A row that is neither a value nor an error",
        _does('os.write(3, b\'{"value": 42, "error": ""}\\n[]\\n\')\nos._exit(0)'),
        _fails,
    ),
    "raw-fault-result": (
        "A program that reports its own failure as the host's, to be run again",
        _does('os.write(3, b\'{"fault": {"kind": "host", "message": "sorry"}}\\n\')\nos._exit(0)'),
        _fails,
    ),
    "raw-status-of-ours": (
        "Exiting with the status by which a supervisor returns a program to the host",
        _does("os._exit(75)"),
        _fails,
    ),
}
"""Name -> what is tried, the program whose ``f()`` is called, and the judge of the result."""

_STARVING = {"busy-children", "hidden-children"}
"""They use the processor that their box needs to end them. On a busy machine the host may give up the box and open
another.
"""

_ON_GVISOR = {"end-the-supervisor-politely": _ends, "locks-of-streams": _ends_or(42)}
"""There, PID 1 dies of signals from inside its box, and unnamed files have no locks."""


def _attempts() -> list[Attempt]:
    return [
        Attempt(
            program=_REPORT.format(code=code, entry="f", seconds=0.6 if judge in (_is_late, _ends) else 20),
            is_safe=judge,
            row=_ROW,
            name=f"solution-{name}",
            sentence=f"In a solution: {sentence}",
            may_lose_box=name in _STARVING,
            on_gvisor=_ON_GVISOR.get(name),
        )
        for name, (sentence, code, judge) in _RUNS.items()
    ]


SOLUTIONS = _attempts()
"""Every attempt of a model's program, by name."""

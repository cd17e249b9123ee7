"""State of the kernel and of the interpreter that a program sets for itself. It must end with the program.

Each runs twice: in a call, and as a model's program in a solution box. The calls after it look at what it set
(``next_calls.py``).
"""
# ruff: noqa: E501, ISC004 -- a table of programs reads better with few line ends

from sandbox.checks.attacks.attempt import TIMEOUT, Attempt, Judge, completes, fails, is_starved, refused
from sandbox.checks.attacks.scripts import IN_SOLUTION, SYSCALL
from schemas.verdict import Verdict

_ROW = 88
_RAISING = """
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    ctypes.set_errno(0)
    result = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result
"""


def _runs(verdict: Verdict) -> str:
    """A judge: the program ended by itself, and every trial that it records is one that is allowed."""
    return completes(verdict) or ("nothing was tried" if not verdict.info or "nothing" in verdict.info else "")


_NEWER = {
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "mount_setattr": 442, "quotactl_fd": 443, "process_mrelease": 448, "set_mempolicy_home_node": 450, "cachestat": 451,
    "fchmodat2": 452, "map_shadow_stack": 453, "futex_wake": 454, "statmount": 457, "listmount": 458,
    "lsm_get_self_attr": 459, "lsm_set_self_attr": 460, "setxattrat": 463, "getxattrat": 464, "open_tree_attr": 467,
    "file_setattr": 469, "listns": 470,
}  # fmt: skip
"""System calls of Linux 5.2 to 6.19 by name, which are the same number on every machine."""
_TRIES: dict[str, tuple[str, str, Judge]] = {
    "timers": (
        "Timers of every kind, for the process, its children and the zygote",
        "spec = (ctypes.c_long * 4)(0, 1_000_000, 3600, 0)\n"
        "for clock in (0, 1, 2, 7):\n    for who in (os.getpid(), 1):\n"
        "        event = (ctypes.c_char * 64)()\n        ctypes.memmove(ctypes.addressof(event) + 8, bytes(ctypes.c_int(9)) + bytes(ctypes.c_int(4)) + bytes(ctypes.c_int(who)), 12)\n"
        "        if who == 1: attempt(f'timer {clock} for 1', call, 222, clock, event, (ctypes.c_int * 1)())\n"
        "for which in (0, 1, 2): signal.setitimer(which, 3600, 1)\nsignal.alarm(3600)\nif os.fork() == 0: signal.pause()",
        refused("timer 0 for 1", "timer 1 for 1"),
    ),
    "settings-of-the-process": (
        "Name, timer slack, huge pages, secure bits, subreaper, signal at the parent's death, speculation",
        "for name, *numbers in (('name', 15, b'note'), ('slack', 29, 12345), ('pages', 41, 1, 0, 0, 0), ('reaper', 36, 1), ('death', 1, 9),\n"
        "    ('merge', 67, 1, 0, 0, 0), ('executable', 65, 1, 0, 0, 0), ('speculation', 53, 0, 4, 0, 0), ('secure', 28, 0x2f),\n"
        "    ('keep', 8, 1), ('dumps', 4, 1), ('machine check', 33, 1, 1, 0, 0), ('alignment', 6, 1), ('flusher', 57, 1, 0, 0, 0)):\n    attempt(name, libc.prctl, *numbers)",
        _runs,
    ),
    "core-scheduling": (
        "Sharing a processor core with the zygote by a cookie of one's own",
        "for command in (1, 2, 3):\n    for kind in (0, 1, 2): attempt(f'{command} of {kind}', lambda: [libc.prctl(62, command, 1, kind, 0) and 1 / 0])",
        refused("1 of 0", "2 of 0", "3 of 0"),
    ),
    "scheduling-of-groups": (
        "Priority of the process group and of the user, deadlines, policies, input and output",
        "attribute = ctypes.create_string_buffer(bytes(ctypes.c_uint(48)) + bytes(44), 64)\n"
        "for who in (1, 2): attempt(f'priority {who}', os.setpriority, who, 0, 19)\n"
        "for policy in (1, 2, 3, 5, 6): attempt(f'policy {policy}', os.sched_setscheduler, 0, policy, os.sched_param(0))\n"
        "attempt('attributes', call, 314, 0, attribute, 0)\nfor who in (1, 2, 3): attempt(f'input and output {who}', call, 251, who, 0, 3 << 13)",
        refused("priority 1", "priority 2", "policy 3", "policy 6", "attributes", "input and output 1"),
    ),
    "newer-system-calls": (
        "System calls of Linux 5.2 to 6.19",
        f"for name, number in {_NEWER!r}.items(): attempt(name, call, number, 0, 0, 0, 0, 0)",
        refused("open_tree", "fsopen", "statmount", "file_setattr"),
    ),
    "descriptors-of-the-zygote": (
        "Taking descriptors of the zygote, or its memory, by a process descriptor",
        "try: pid = os.pidfd_open(1)\nexcept OSError: pid = 1\nfor number in (*range(3), *range(40, 64)): attempt(f'{number}', call, 438, pid, number, 0)\n"
        "attempt('advice', call, 440, pid, (ctypes.c_long * 2)(0x400000, 4096), 1, 20, 0)\nattempt('release', call, 448, pid, 0)\n"
        "attempt('wait', lambda: os.waitid(os.P_PIDFD, pid, os.WEXITED | os.WNOHANG))",
        refused("0", "40", "63", "advice", "release", "wait"),
    ),
    "queues-and-semaphores": (
        "POSIX message queues and System V queues, semaphores and memory",
        "attempt('open', call, 240, b'note', 0o102, 0o600, 0)\nattempt('unlink', call, 241, b'note')\nattempt('queue', call, 68, 7, 0o1666)\n"
        "attempt('semaphore', call, 64, 7, 1, 0o1666)\nattempt('memory', call, 29, 7, 4096, 0o1666)\n"
        "import _multiprocessing\nattempt('named', lambda: _multiprocessing.SemLock(1, 1, 1, '/note', False))",
        refused("open", "queue", "semaphore", "memory", "named"),
    ),
    "a-child-of-the-parent": (
        "Children that the kernel makes children of one's parent",
        "for number in range(3):\n    pid = libc.syscall(56, 0x8000 | 17, 0, 0, 0, 0)\n    if pid == 0:\n        libc.setsid()\n        while True: libc.pause()\n"
        "    info[f'child {number}'] = pid > 0",
        _runs,
    ),
    "files-of-a-new-program": (
        "Files in /proc that only a program that was executed may write, such as those of its scheduling group",
        "code = '''if 1:\n    import os\n    for name in ('autogroup', 'timerslack_ns', 'coredump_filter', 'comm', 'oom_score_adj', 'loginuid', 'clear_refs', 'setgroups', 'uid_map', 'attr/current', 'sched'):\n"
        "        for value in ('7', '1000', 'note'):\n            try: open('/proc/self/' + name, 'w').write(value)\n            except OSError: pass'''\n"
        "attempt('run', lambda: os.waitpid(os.posix_spawn(sys.executable, ['python3', '-I', '-S', '-c', code], os.environ), 0))",
        _runs,
    ),
    "a-program-in-memory": (
        "A program in memory gains nothing when it is executed",
        "memory = os.memfd_create('program', 0)\nwith open(sys.executable, 'rb') as file: os.sendfile(memory, file.fileno(), 0, 1 << 24)\n"
        "told, tell = os.pipe()\nos.set_inheritable(tell, True)\ncode = f\"import os; os.write({tell}, repr([os.getuid(), sum(os.getresuid()) == 3 * os.getuid(), os.access('/etc/shadow', 4)]).encode())\"\n"
        "def run():\n    pid = os.posix_spawn(f'/proc/self/fd/{memory}', ['python3', '-I', '-S', '-c', code], os.environ)\n    os.waitpid(pid, 0)\n    os.close(tell)\n"
        "    assert os.read(told, 99).decode() in ('', repr([os.getuid(), True, False]))\nattempt('run', run)\ninfo['run'] in ('allowed: None', 'EACCES', 'ENOENT') or 1 / 0",
        _runs,
    ),
    "a-filter-of-its-own": (
        "A seccomp filter that refuses writing, forking and ending to all its threads",
        "import struct\nrules = b''.join(struct.pack('HBBI', *rule) for rule in ((0x20, 0, 0, 0), (0x15, 0, 1, 56), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7fff0000)))\n"
        "kept = ctypes.create_string_buffer(rules)\nprogram = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', 4, ctypes.addressof(kept)))\nlibc.prctl(38, 1, 0, 0, 0)\n"
        "attempt('filter', call, 317, 1, 1, program)\nattempt('fork', os.fork)",
        _runs,
    ),
    "fences-without-number": (
        "More Landlock rulesets than one process may have",
        "def fence():\n    made = call(444, (ctypes.c_ulong * 3)(0xffff, 0, 0), 8, 0)\n    call(446, made, 0)\n    os.close(made)\n"
        "libc.prctl(38, 1, 0, 0, 0)\nfor number in range(20): attempt(f'fence {number}', fence)",
        _runs,
    ),
    "watches-without-number": (
        "All watches, counters, poll sets and unread signals of a user",
        "kept = []\nfor number in range(300):\n    one = libc.inotify_init1(0)\n    if one < 0: break\n    kept.append(one)\n"
        "for path in ('/usr', '/usr/lib', '/etc', '/tmp', '/proc'): [libc.inotify_add_watch(one, path.encode(), 0xfff) for one in kept]\n"
        "import select\nwhile True:\n    try: kept += [select.epoll(), os.eventfd(0), *os.pipe()]\n    except OSError: break\ninfo['kept'] = len(kept)\ndel kept[-4:]",
        _runs,
    ),
    "lists-for-the-kernel": (
        "Lists of locks, addresses and stacks that the kernel follows when a thread ends",
        "libc.syscall(273, ctypes.c_void_p(0xdead0000), 24)\nlibc.syscall(218, ctypes.c_void_p(0xdead0000))\nloop = (ctypes.c_long * 3)()\nloop[0] = ctypes.addressof(loop)\n"
        "info['list'] = libc.syscall(273, loop, 24)\nif os.fork() == 0:\n    libc.syscall(273, ctypes.c_void_p(1), 24)\n    os._exit(0)",
        _runs,
    ),
    "locked-memory": (
        "Memory that is locked, secret, or filled in advance",
        "import mmap\nattempt('all', lambda: libc.mlockall(7) and 1 / 0)\nattempt('some', lambda: libc.mlock(ctypes.create_string_buffer(1 << 20), 1 << 20) and 1 / 0)\n"
        "attempt('secret', call, 447, 0)\nattempt('hole', lambda: mmap.mmap(-1, 8 << 30, flags=0x8022))",
        refused("all", "some", "secret", "hole"),
    ),
    "blocked-alarms": (
        "Every signal blocked, pending, and on a stack of its own",
        "stack = ctypes.create_string_buffer(65536)\nsignal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\nfor n in signal.valid_signals() - {9, 19}: os.kill(os.getpid(), n)\n"
        "info['stack'] = libc.sigaltstack((ctypes.c_long * 3)(ctypes.addressof(stack), 0, 65536), None)\nsignal.set_wakeup_fd(-1)",
        _runs,
    ),
    "state-of-the-interpreter": (
        "Limits, hooks, codecs, importers and collectors of the interpreter",
        "import atexit, codecs, contextvars, faulthandler, gc, threading, warnings\nsys.setrecursionlimit(200)\nsys.set_int_max_str_digits(640)\ngc.disable()\ngc.set_threshold(1)\nsys.setswitchinterval(9)\n"
        "sys.addaudithook(lambda *_: None)\nwarnings.simplefilter('error')\ncodecs.register(lambda name: codecs.lookup('latin-1') if 'utf' in name else None)\n"
        "class Finder:\n    def find_spec(*_): raise ImportError\nsys.meta_path.insert(0, Finder())\nsys.path_hooks.clear()\nsys.path_importer_cache.clear()\nsys.path[:] = []\n"
        "faulthandler.enable(open(os.devnull, 'w'))\nfaulthandler.dump_traceback_later(3600, exit=True)\nthreading.excepthook = sys.excepthook = sys.unraisablehook = sys.displayhook = None\n"
        "atexit.register(os._exit, 9)\ncontextvars.ContextVar('note').set(1)\nnames = [sys.intern(f'note {n}') for n in range(100_000)]\nos.register_at_fork(before=sys.exit)\nsys.flags, sys.argv, sys.byteorder = None, None, 'little'\n"
        "info['set'] = 1",
        _runs,
    ),
    "state-of-libraries": (
        "Time zone, locale, decimal context, seeds, temporary folder and sockets' time",
        "import decimal, locale, random, socket, tempfile\nos.environ['TZ'] = 'Asia/Tokyo'\ntime.tzset()\nfor name in ('C', 'POSIX', 'C.UTF-8'): attempt(name, locale.setlocale, locale.LC_ALL, name)\n"
        "decimal.setcontext(decimal.Context(prec=3, traps=[]))\ndecimal.DefaultContext.prec = 3\nrandom.seed(1)\nsocket.setdefaulttimeout(0.001)\ntempfile.tempdir = '/nowhere'\nlibc.srand(7)\n"
        "libc.setlocale(6, b'C')\nlibc.fesetround(0x400)\nlibc.umask(0)\nos.environ.clear()\nlibc.clearenv()\ninfo['set'] = 1",
        _runs,
    ),
}  # fmt: skip
"""Name -> what is tried, its program, and the judge of what it recorded."""
_ENDS_BY_CLOCK = {
    "a-main-thread-that-has-ended": (
        "The main thread ends, another one runs on",
        "import threading\nthreading.Thread(target=time.sleep, args=[99], daemon=True).start()\nlibc.syscall(60, 0)",
    ),
    "stops-itself": ("Stopping itself", "os.kill(os.getpid(), signal.SIGSTOP)"),
    "waits-for-a-borrowed-child": (
        "Children that borrow their parent's memory and never end",
        "for number in range(8):\n    if libc.syscall(58) == 0: continue\nwhile True: libc.pause()",
    ),
}
"""The same for programs that run until their time limit."""


def _solution(program: str) -> str:
    return f"{IN_SOLUTION}\nin_solution({_RAISING + program!r})\n"


def _is_late(verdict: Verdict) -> str:
    """A judge: no result came of the program, because its time was up."""
    if is_starved(verdict):
        return ""
    if verdict.error is not None:
        return fails(TIMEOUT)(verdict)
    return "" if "longer than" in str(verdict.info.get("nothing")) else f"recorded {verdict.info}"


LASTING_STATE = [
    *(
        Attempt(SYSCALL + _RAISING + program, judge, row=_ROW, name=f"state-{name}", sentence=f"In a call: {sentence}")
        for name, (sentence, program, judge) in _TRIES.items()
    ),
    *(
        Attempt(_solution(program), judge, row=_ROW, name=f"solution-state-{name}", sentence=f"In a solution: {sentence}")
        for name, (sentence, program, judge) in _TRIES.items()
    ),
    *(
        Attempt(_RAISING + program, fails(TIMEOUT), ends_by_clock=True, row=_ROW, name=f"state-{name}", sentence=sentence)
        for name, (sentence, program) in _ENDS_BY_CLOCK.items()
    ),
    *(
        Attempt(_solution(program), _is_late, row=_ROW, name=f"solution-state-{name}", sentence=f"In a solution: {sentence}")
        for name, (sentence, program) in _ENDS_BY_CLOCK.items()
    ),
]  # fmt: skip
"""Every such attempt."""

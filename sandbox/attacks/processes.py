"""Outliving the call, starving the box, killing the zygote."""

from sandbox.attacks.attempt import FAILED, HOST_FAULT, MEMORY, TIMEOUT, Attempt, completes, fails, refused

ATTEMPTS = [
    Attempt(
        23,
        "fork-bomb",
        "Forks until refused; everything is dead afterwards",
        """
import os, time
count = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
        count += 1
except OSError:
    pass
info["children"] = count
""",
        lambda v: "" if v.error is None and v.info.get("children", 999) < 60 else f"ended as {v}",
    ),
    Attempt(
        24,
        "thread-bomb",
        "Threads until refused",
        """
import threading, time
try:
    for _ in range(5000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
except (RuntimeError, MemoryError):
    info["refused"] = True
info["count"] = threading.active_count()
""",
        lambda v: "" if v.error is not None or v.info.get("count", 9999) < 100 else f"ended as {v}",
    ),
    Attempt(
        25,
        "memory-bomb",
        "One process that wants everything",
        "blocks = []\nwhile True:\n    blocks.append(bytearray(16 << 20))\n",
        fails(MEMORY, FAILED, TIMEOUT),
    ),
    Attempt(
        26,
        "memory-bomb-shared",
        "Eight processes that together want more than the box has",
        """
import os, time
for _ in range(8):
    if os.fork() == 0:
        block = bytearray(150 << 20)
        for i in range(0, len(block), 4096):
            block[i] = 1
        time.sleep(30)
time.sleep(0.6)
""",
        lambda v: "" if v.error is None or v.error.kind in (MEMORY, TIMEOUT, FAILED) else f"ended as {v}",
        within_seconds=6.0,
        on_gvisor=fails(HOST_FAULT, MEMORY, TIMEOUT, FAILED),
    ),
    Attempt(
        37,
        "quick-lower-limit",
        "A call that lowers its own limits before the zygote has set them",
        "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 1))\n",
        completes,
    ),
    Attempt(27, "spin", "A loop that never ends", "while True:\n    pass\n", fails(TIMEOUT)),
    Attempt(28, "sleep", "Sleeping past the deadline", "import time\ntime.sleep(60)\n", fails(TIMEOUT)),
    Attempt(
        29,
        "deaf",
        "Ignoring every signal",
        """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
""",
        fails(TIMEOUT),
    ),
    Attempt(
        30, "big-power", "A computation in C that holds the interpreter's lock", "7 ** (7 ** 9)", fails(TIMEOUT), 2.5
    ),
    Attempt(
        31,
        "regex",
        "Catastrophic backtracking",
        "import re\nre.match(r'(a+)+$', 'a' * 64 + 'b')\n",
        fails(TIMEOUT),
    ),
    Attempt(
        32,
        "daemon",
        "A double-forked daemon that would write for ever",
        """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            open("/tmp/daemon", "a").write("x")
            time.sleep(0.01)
    os._exit(0)
time.sleep(0.1)
""",
        completes,
    ),
    Attempt(
        34,
        "kill-the-zygote",
        "Every signal to PID 1",
        """
import os
for number in range(1, 65):
    try:
        os.kill(1, number)
    except OSError:
        pass
""",
        completes,
        on_gvisor=fails(HOST_FAULT),
    ),
    Attempt(
        35,
        "kill-everybody",
        "kill(-1, SIGKILL) from inside a call",
        "import os\nos.kill(-1, 9)\nimport time\ntime.sleep(5)\n",
        lambda v: "" if v.rewards in ({"correct": 0.0}, {"correct": None}) else f"ended as {v}",
    ),
    Attempt(
        36,
        "zygote-memory",
        "Opening the zygote's memory, environment, maps and descriptors",
        """
import os
def open_it(name, mode):
    with open("/proc/1/" + name, mode):
        pass
for name, mode in (("mem", "rb"), ("mem", "r+b"), ("environ", "rb"), ("maps", "rb"), ("auxv", "rb"), ("syscall", "rb"),
                   ("stack", "rb"), ("clear_refs", "wb"), ("oom_score_adj", "w"), ("coredump_filter", "w")):
    attempt(name + mode, open_it, name, mode)
attempt("fd", os.listdir, "/proc/1/fd")
attempt("root", os.listdir, "/proc/1/root")
attempt("cwd", os.listdir, "/proc/1/cwd")
""",
        refused("memrb", "memr+b", "fd", "environrb"),
    ),
    Attempt(
        42,
        "early-exits",
        "sys.exit(0) inside a verifier is no verdict",
        "import sys\nsys.exit(0)\n",
        fails(FAILED),
    ),
    Attempt(42, "hard-exit", "os._exit(0) is no verdict", "import os\nos._exit(0)\n", fails(FAILED)),
    Attempt(42, "interrupt", "KeyboardInterrupt is no verdict", "raise KeyboardInterrupt\n", fails(FAILED)),
    Attempt(
        43,
        "segfault",
        "A segmentation fault ends the call only",
        "import ctypes\nctypes.string_at(0)\n",
        fails(FAILED, words="11"),
    ),
    Attempt(43, "abort", "abort() ends the call only", "import os\nos.abort()\n", fails(FAILED, words="6")),
    Attempt(
        43,
        "recursion",
        "Endless recursion in C ends the call only",
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f():\n    f()\nf()\n",
        fails(FAILED, MEMORY, TIMEOUT),
    ),
    Attempt(
        49,
        "close-everything",
        "Closing every descriptor and staying",
        "import os, time\nos.closerange(0, 4096)\ntime.sleep(60)\n",
        fails(TIMEOUT),
    ),
    Attempt(
        59,
        "neighbours",
        "No process of another box or the host is visible",
        """
import os
info["pids"] = sorted(int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid()))
""",
        lambda v: "" if v.info == {"pids": []} else f"ended as {v}",
    ),
]

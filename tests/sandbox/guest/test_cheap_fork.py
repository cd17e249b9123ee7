"""The cheap fork: same child, fewer chores."""

import subprocess
import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[3])


def run(program: str) -> str:
    """In a process of its own: these tests fork, register hooks for good, and count threads."""
    code = f"import sys; sys.path.insert(0, {ROOT!r})\nfrom sandbox.guest import cheap_fork\n{program}"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_child_is_a_child_and_its_parent_waits_for_it() -> None:
    program = """
import os
pid = cheap_fork.cheapest_fork()()
if pid == 0:
    os._exit(7 if os.getppid() != 1 else 8)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert run(program) == "7"


def test_hooks_of_packages_run_and_those_that_renew_locks_do_not() -> None:
    program = """
import os
cheap_fork.watch_hooks()
import threading, logging
os.register_at_fork(before=lambda: print("before", flush=True), after_in_child=lambda: print("child", flush=True),
                    after_in_parent=lambda: (os.waitpid(-1, 0), print("parent", flush=True)))
assert [hook.__module__ for hook in cheap_fork._after_in_child] == ["__main__"]
if cheap_fork.cheapest_fork()() == 0:
    os._exit(0)
"""
    assert run(program).split() == ["before", "child", "parent"]


def test_a_child_in_which_only_our_code_runs_may_leave_the_hooks_to_its_own_children() -> None:
    program = """
import os
cheap_fork.watch_hooks()
os.register_at_fork(after_in_child=lambda: print("hook", flush=True))
pid = cheap_fork.cheapest_fork(runs_hooks=False)()
if pid == 0:
    print("ours", flush=True)
    if cheap_fork.cheapest_fork()() == 0:
        os._exit(0)
    os.wait()
    os._exit(0)
os.waitpid(pid, 0)
"""
    assert run(program).split() == ["ours", "hook"]


def test_random_numbers_differ_from_child_to_child() -> None:
    program = """
import os
cheap_fork.watch_hooks()
import random
fork = cheap_fork.cheapest_fork()
seen = set()
for _ in range(4):
    ours, theirs = os.pipe()
    if fork() == 0:
        os.write(theirs, str(random.random()).encode())
        os._exit(0)
    os.wait()
    seen.add(os.read(ours, 100))
print(len(seen))
"""
    assert run(program) == "4"


def test_a_child_may_use_threads_locks_and_subprocesses() -> None:
    program = """
import os
cheap_fork.watch_hooks()
import concurrent.futures, logging, subprocess, threading
pid = cheap_fork.cheapest_fork()()
if pid == 0:
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(int, ["1", "2", "3"])) == 6
    logging.getLogger("x").warning("said")
    assert subprocess.run(["true"]).returncode == 0
    assert threading.current_thread() is threading.main_thread()
    grandchild = os.fork()
    if grandchild == 0:
        os._exit(3)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert run(program) == "3"


def test_a_process_of_several_threads_keeps_to_os_fork() -> None:
    program = """
import os, threading
stop = threading.Event()
thread = threading.Thread(target=stop.wait)
thread.start()
print(cheap_fork.cheapest_fork() is os.fork)
stop.set(); thread.join()
while len(os.listdir("/proc/self/task")) > 1:  # it has said goodbye, and is about to go
    pass
print(cheap_fork.cheapest_fork() is os.fork)
"""
    assert run(program).split() == ["True", "False"]


def test_a_refused_fork_is_an_os_error() -> None:
    program = """
import resource
resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
import os
if os.getuid() == 0:  # root is not bound by that limit
    os.setuid(65534)
try:
    cheap_fork.cheapest_fork()()
except OSError as error:
    print(type(error).__name__)
"""
    assert run(program) == "BlockingIOError"


def test_hooks_are_registered_with_the_interpreter_too() -> None:
    program = """
import os
cheap_fork.watch_hooks()
os.register_at_fork(after_in_child=lambda: os._exit(5))
pid = os.fork()
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert run(program) == "5"

"""PID 1 of a box: imports the package once, warms it up, then forks a child for each call group."""

import gc
import importlib
import json
import os
import sys
import threading
import time
from typing import Any

from sandbox.guest import cheap_fork, frames, landlock, limits
from sandbox.guest.baseline import Baseline, BoxChangedError
from sandbox.guest.call import Package, describe
from sandbox.guest.call_groups import CallGroups
from sandbox.guest.line import HostGoneError, Line, keep_numbers_free, line_descriptor
from sandbox.guest.oom import OomScore
from sandbox.guest.warm_up import warm_up

_START_SECONDS = 300.0
"""A host sends START at once. An engine that is killed while it starts a box may never give the box its host's line."""


def main() -> None:
    """Serve the host until it closes the connection. Returns only by exiting."""
    score = OomScore()
    limits.harden_zygote()
    line = _take_the_line()
    try:
        _serve(line, score)
    except HostGoneError:
        pass
    except BrokenPipeError:
        pass
    except BoxChangedError as error:
        os.write(2, f"a session changed {error} of its box\n".encode())
        os._exit(1)
    os._exit(0)


def _take_the_line() -> Line:
    """Move the protocol away from descriptors 0 and 1, where a ``print`` would reach it."""
    incoming, outgoing = line_descriptor(0), line_descriptor(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return Line(incoming, outgoing)


def _open_standard_streams() -> None:
    """Open descriptors 0 to 2 again if the import closed them. A connection that got such a number would be overwritten
    in its child.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # open() returns the lowest free number


def _serve(line: Line, score: OomScore) -> None:
    line.await_frame(_START_SECONDS)
    kind, _, length = line.read_frame()
    if kind != frames.START:
        raise HostGoneError("the first frame is not START")
    config = json.loads(bytes(line.request[:length]))
    line.forget_request()
    if config["socket"]:
        line.go_through(config["socket"])
    kept_free = keep_numbers_free()
    beyond_descriptors = limits.limit_descriptors(int(config["limits"]["open_file_count"]))
    try:
        answer, sessions, facts = _prepare(config)
    except BaseException as error:  # a package may call sys.exit where it is imported
        fault = "memory" if isinstance(error, MemoryError) else "verifier_failed"
        line.write(frames.FAILED, 0, json.dumps({"kind": fault, "message": describe(error)}).encode())
        return
    for number in kept_free:
        os.closerange(number, number + 1)  # the package may have closed it itself
    _open_standard_streams()
    baseline = Baseline(config["work_folder"], beyond_descriptors)
    line.write(frames.READY, 0, json.dumps(facts).encode())
    if sessions is not None:
        sessions.serve(line, baseline, score.marking_children(os.fork))
        return
    # in that role the child runs only our code and forks for the model's, so its exit status is not forged
    is_ours = config["role"] == "solution"
    fork = score.marking_children(cheap_fork.cheapest_fork(runs_hooks=not is_ours))
    groups = CallGroups(line, config["work_folder"], answer, baseline, fork, children_may_return=is_ours)
    while True:
        kind, ident, length = line.read_frame()
        if kind == frames.RUN:
            groups.run(ident, length)


def _prepare(config: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    """Import the package, warm it up, apply limits. Returns (answer, sessions or None, facts for READY)."""
    work_folder = config["work_folder"]
    os.chdir(work_folder)
    abi = landlock.restrict(work_folder) if config["landlock"] else 0
    sys.dont_write_bytecode = True
    if config.get("elsewhere"):
        from sandbox.guest import elsewhere  # noqa: PLC0415 -- only an audit's boxes need it

        elsewhere.settle(elsewhere.Elsewhere(**config["elsewhere"]))
    sys.path[:0] = config["import_paths"]
    cheap_fork.watch_hooks()
    started = time.perf_counter()
    facts: dict[str, Any] = {"python": sys.version.split()[0], "pid": os.getpid(), "landlock": abi}
    sessions = None
    if config["role"] == "solution":
        from sandbox.guest.solver import Solver  # noqa: PLC0415 -- only this role needs it

        for name in config["preload"]:
            importlib.import_module(name)
        answer = Solver(work_folder, cheap_fork.cheapest_fork()).answer
        facts["import_seconds"] = time.perf_counter() - started
    else:
        package = Package(config)
        answer = package.answer
        facts["import_seconds"] = time.perf_counter() - started
        facts.update(warm_up(package, config.get("examples", []), config))
        if config["role"] == "environment":
            from sandbox.guest.session_server import SessionServer  # noqa: PLC0415 -- only this role needs it

            sessions = SessionServer(package, config)
    facts["threads"] = threading.active_count()
    limits.reset_signals()
    limits.limit_zygote(config["limits"])
    gc.collect()
    gc.freeze()
    return answer, sessions, facts

"""Warm-up: runs a package's own examples in the zygote, so that every fork inherits caches and compiled patterns.

The examples first run in a child, with the limits and the clock of a call. Only if all of them end there do they run in
the zygote. A verifier that loops or fills the memory thus does not end the box, and its author sees the error as the
verdict of a call.
"""

import json
import os
import signal
import time
from collections.abc import Mapping
from typing import Any

from sandbox.guest import cleanup, limits
from sandbox.guest.call import Package
from sandbox.guest.exits import ExitWatch

_SPARE_SECONDS = 5.0  # for the fork and the end of the process; the package has the time limit of one call
_ENDED, _HUNGRY = 76, 77
"""Exit statuses of the child. They are unlikely to come from a package, which would most likely exit with 0."""


def warm_up(package: Package, examples: list[dict[str, Any]], config: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for the READY message: how long it took, how many examples ran in the zygote, what failed."""
    started = time.perf_counter()
    failures: list[str] = []
    ended = not examples or _ends_in_a_child(package, examples, config)
    if ended:
        failures = [error["message"][:200] for error in _errors(package, examples)]
    else:
        failures.append("the examples did not end within the limits of a call; nothing was warmed up")
    cleanup.wipe(config["work_folder"])
    return {
        "warm_seconds": time.perf_counter() - started,
        "warmed_calls": len(examples) if ended else 0,
        "warm_failures": failures,
    }


def _errors(package: Package, examples: list[dict[str, Any]]) -> list[dict[str, str]]:
    replies = [json.loads(package.answer(json.dumps(example).encode())) for example in examples]
    return [reply["error"] for reply in replies if "error" in reply]


def _ends_in_a_child(package: Package, examples: list[dict[str, Any]], config: Mapping[str, Any]) -> bool:
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            limits.limit_zygote(config["limits"])
            hungry = any(error["kind"] == "memory" for error in _errors(package, examples))
            os._exit(_HUNGRY if hungry else _ENDED)
        finally:
            os._exit(1)
    watch = ExitWatch(pid)
    in_time = watch.wait(float(config["call_seconds"]) + _SPARE_SECONDS)
    watch.close()
    if not in_time:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    cleanup.kill_leftovers(pid)
    return in_time and os.waitstatus_to_exitcode(status) == _ENDED

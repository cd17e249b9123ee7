"""Runs attempts one after the other in the same boxes.

Each must end safely, and later calls must give right results.
"""

import importlib
import pkgutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

from sandbox.backends.docker.gvisor import is_gvisor
from sandbox.checks.attacks import attempts
from sandbox.checks.attacks.asked_solutions import ASKED_SOLUTIONS
from sandbox.checks.attacks.attempt import HOST, SHORT_SECONDS, Attempt, is_starved, judge_call
from sandbox.checks.attacks.by_packages import PACKAGES, PackageAttempt
from sandbox.checks.attacks.hostile_json import BOUNDARIES
from sandbox.checks.attacks.in_sessions import SESSIONS, SessionAttempt
from sandbox.checks.attacks.in_solutions import SOLUTIONS
from sandbox.checks.attacks.lasting_state import LASTING_STATE
from sandbox.checks.attacks.neighbours import NEIGHBOURS, NeighbourAttempt
from sandbox.checks.attacks.next_calls import next_calls_problem, remember_fresh_boxes
from sandbox.checks.attacks.notes import NOTES, NoteAttempt
from sandbox.checks.attacks.refused_to_solutions import REFUSED_TO_SOLUTIONS
from sandbox.checks.conformance import CheckResult
from sandbox.checks.samples import TASK
from sandbox.interface import Source
from sandbox.sandbox import Sandbox
from schemas.wheels.box_python import DEFAULT_PYTHON


def _find_attempts() -> Iterator[Attempt]:
    for module in sorted(pkgutil.iter_modules(attempts.__path__), key=lambda module: module.name):
        row, _, name = module.name.partition("_")
        found = importlib.import_module(f"{attempts.__name__}.{module.name}")
        sentence = (found.__doc__ or "").strip().rstrip(".")
        yield replace(found.ATTEMPT, row=int(row.removeprefix("row")), name=name.replace("_", "-"), sentence=sentence)


ATTEMPTS = [*_find_attempts(), *SOLUTIONS, *REFUSED_TO_SOLUTIONS, *ASKED_SOLUTIONS, *BOUNDARIES, *LASTING_STATE]
"""Attempts from inside calls and solutions: the files of ``sandbox/checks/attacks/attempts`` by row, then the
tables.
"""
OTHERS: list[SessionAttempt | PackageAttempt | NoteAttempt | NeighbourAttempt] = [
    *NOTES,
    *NEIGHBOURS,
    *SESSIONS,
    *PACKAGES,
]
"""The other attempts: notes between calls, two packages at a time, sessions, and packages that attack from their import
on.
"""
_PATIENCE_SECONDS = 120.0
"""Ends a call that waits for a box which never opens. It is longer than any limit of a call, also on a busy machine.
"""
_EARLIER = {**TASK, "answer": "EARLIER-12345678-SECRET"}


async def run_attempts(sandbox: Sandbox, only: str = "", python: str = DEFAULT_PYTHON) -> AsyncIterator[CheckResult]:
    """Run every attempt, or those whose name contains ``only``: of calls, solutions, sessions and packages.

    After those of sessions and packages, calls and solutions of other packages are checked too. Calls and solutions run
    on Python ``python``.
    """
    with tempfile.TemporaryDirectory(prefix="verihub-attacks-") as folder:
        source = replace(HOST, requires_python=f"=={python}.*").source(Path(folder))
        for one in ATTEMPTS:
            if only in one.name:
                yield await run_attempt(sandbox, source, one)
        await remember_fresh_boxes(sandbox, source)
        for other in OTHERS:
            if only in other.name:
                yield await run_other(sandbox, source, other)


async def run_other(
    sandbox: Sandbox, source: Source, one: SessionAttempt | PackageAttempt | NoteAttempt | NeighbourAttempt
) -> CheckResult:
    """Run an attempt of a session, a package, two packages or two calls; then check calls and solutions of
    ``source``.
    """
    started = time.monotonic()
    problem = await one.problem(sandbox)
    seconds = time.monotonic() - started
    return CheckResult(one.name, one.sentence, seconds, problem or await next_calls_problem(sandbox, source))


async def run_attempt(sandbox: Sandbox, source: Source, one: Attempt, *, looks: bool = True) -> CheckResult:
    """Run the attempt, then check calls on the same boxes. Without ``looks`` only one call is checked."""
    await remember_fresh_boxes(sandbox, source)
    await judge_call(sandbox, source, "ping", _EARLIER)
    lost_before = sandbox.metrics.total("boxes_lost")
    started = time.monotonic()
    limit = SHORT_SECONDS if one.ends_by_clock else None
    verdict = await judge_call(sandbox, source, one.program, seconds=limit)
    seconds = time.monotonic() - started
    weaker = one.on_gvisor if is_gvisor(sandbox.settings.runtime) else None
    problem = (weaker or one.is_safe)(verdict)
    if not problem and seconds > _PATIENCE_SECONDS:
        problem = f"it took {seconds:.1f} s"
    if (
        not problem
        and not (one.may_lose_box or weaker or is_starved(verdict))
        and sandbox.metrics.total("boxes_lost") > lost_before
    ):
        problem = "the box was lost"
    return CheckResult(
        one.name, one.sentence, seconds, problem or await _next_call_problem(sandbox, source, looks=looks)
    )


async def _next_call_problem(sandbox: Sandbox, source: Source, *, looks: bool) -> str:
    """What is wrong with the next calls, one on each box, or an empty string."""
    started = time.monotonic()
    for _ in range(2):
        verdict = await judge_call(sandbox, source, "ping")
        if verdict.rewards != {"correct": 1.0}:
            return f"the next call got {verdict}"
    if looks and (problem := await next_calls_problem(sandbox, source)):
        return problem
    seconds = time.monotonic() - started
    return f"the next calls took {seconds:.1f} s" if seconds > _PATIENCE_SECONDS else ""

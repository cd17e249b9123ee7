"""Runs attempts one after the other in the same boxes: each ends safely, and the next call is right and on time."""

import importlib
import pkgutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from sandbox.attacks import attempts
from sandbox.attacks.attempt import HOST, Attempt
from sandbox.backends.gvisor import is_gvisor
from sandbox.conformance import Outcome
from sandbox.interface import Call, Source
from sandbox.running import Sandbox
from sandbox.samples import TASK
from schemas.verdict import Verdict


def _find_attempts() -> Iterator[Attempt]:
    for module in sorted(pkgutil.iter_modules(attempts.__path__), key=lambda module: module.name):
        row, _, name = module.name.partition("_")
        found = importlib.import_module(f"{attempts.__name__}.{module.name}")
        sentence = (found.__doc__ or "").strip().rstrip(".")
        yield replace(found.ATTEMPT, row=int(row.removeprefix("row")), name=name.replace("_", "-"), sentence=sentence)


ATTEMPTS = list(_find_attempts())
"""Every file of ``sandbox/attacks/attempts``, by row."""
_NEXT_CALL_SECONDS = 3.0
_EARLIER = {**TASK, "answer": "EARLIER-12345678-SECRET"}


async def run_attempts(sandbox: Sandbox, only: str = "") -> AsyncIterator[Outcome]:
    """Every attempt (or those whose name contains ``only``) against ``sandbox``."""
    with tempfile.TemporaryDirectory(prefix="verihub-attacks-") as folder:
        source = HOST.source(Path(folder))
        for one in ATTEMPTS:
            if only in one.name:
                yield await run_attempt(sandbox, source, one)


async def run_attempt(sandbox: Sandbox, source: Source, one: Attempt) -> Outcome:
    """The attempt, then a plain call on the same pool."""
    await _judge(sandbox, source, "ping", _EARLIER)
    lost_before = sandbox.metrics.total("boxes_lost")
    started = time.monotonic()
    verdict = await _judge(sandbox, source, one.program)
    seconds = time.monotonic() - started
    weaker = one.on_gvisor if is_gvisor(sandbox.settings.runtime) else None
    problem = (weaker or one.is_safe)(verdict)
    if not problem and seconds > one.within_seconds:
        problem = f"it took {seconds:.1f} s; {one.within_seconds:g} s are allowed"
    if not problem and not (one.may_lose_box or weaker) and sandbox.metrics.total("boxes_lost") > lost_before:
        problem = "the box was lost"
    return Outcome(one.name, one.sentence, seconds, problem or await _next_call_problem(sandbox, source))


async def _next_call_problem(sandbox: Sandbox, source: Source) -> str:
    """What is wrong with the calls that come next, one on each box; empty when nothing is."""
    started = time.monotonic()
    for _ in range(2):
        verdict = await _judge(sandbox, source, "ping")
        if verdict.rewards != {"correct": 1.0}:
            return f"the next call got {verdict}"
    left = await _judge(sandbox, source, "import os\ninfo['left'] = os.listdir('.') + os.listdir('/tmp')")
    if left.info.get("left") != []:
        return f"the next call found {left}"
    seconds = time.monotonic() - started
    return f"the next calls took {seconds:.1f} s" if seconds > _NEXT_CALL_SECONDS else ""


async def _judge(sandbox: Sandbox, source: Source, response: str, task: dict[str, Any] = TASK) -> Verdict:
    [verdict] = [verdict async for _, verdict in sandbox.score(source, [Call("1", task, response=response)])]
    return verdict

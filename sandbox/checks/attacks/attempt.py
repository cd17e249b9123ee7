"""The class of an attempt, the package in which attempts run, and judges of their results."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sandbox.checks.samples import TASK, Sample
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from schemas.verdict import ErrorKind, Verdict

Judge = Callable[[Verdict], str]
"""Returns what is wrong with a verdict, or an empty string if the result is safe."""

FAIR_SECONDS = 30.0
"""Time limit of a call that must end by itself. It is long, so that it suffices on a busy machine."""
SHORT_SECONDS = 1.5
"""Time limit of a call that must exceed it."""

HOST = Sample(
    name="attacked",
    timeout_seconds=FAIR_SECONDS,
    memory_mb=192,
    code="""
    import errno, os

    def verify(task, response, info):
        if response == "ping":
            return {"correct": 1.0}

        def attempt(name, function, *arguments):
            try:
                result = function(*arguments)
            except OSError as error:
                info[name] = errno.errorcode.get(error.errno, str(error.errno))
            except BaseException as error:
                info[name] = type(error).__name__
            else:
                if isinstance(result, int) and not isinstance(result, bool) and result < 0:
                    import ctypes
                    info[name] = errno.errorcode.get(ctypes.get_errno(), "failed")
                else:
                    info[name] = f"allowed: {result!r}"[:200]

        scope = {"__name__": "attempt", "attempt": attempt, "info": info, "task": task, "frame": verify}
        exec(compile(response, "attempt", "exec"), scope)
        return {"correct": scope.get("reward", 0.0)}
    """,
)
"""A verifier that executes the response in its own process. Nothing that such a call does may affect other calls."""


@dataclass(frozen=True)
class Attempt:
    """One attempt from inside a verifier box. Row, name and sentence come from its file."""

    program: str
    is_safe: Judge
    ends_by_clock: bool = False
    """Whether it runs until its time limit. The limit is then short."""
    may_lose_box: bool = False
    on_gvisor: Judge | None = None
    """The required result on gVisor if it differs: a box may be lost there, see docs/explanation/threat_model.md."""
    row: int = 0
    """Its number in the table of docs/explanation/threat_model.md."""
    name: str = ""
    sentence: str = ""
    """The required result."""


async def judge_call(
    sandbox: Sandbox, source: Source, response: str, task: dict[str, Any] = TASK, seconds: float | None = None
) -> Verdict:
    """The verdict of one call. ``seconds``: a time limit other than the package's."""
    if seconds is not None:
        needs = source.manifest.sandbox.model_copy(update={"timeout_seconds": seconds})
        source = replace(source, manifest=source.manifest.model_copy(update={"sandbox": needs}))
    [verdict] = [verdict async for _, verdict in sandbox.score(source, [Call("1", task, response=response)])]
    return verdict


def is_starved(verdict: Verdict) -> bool:
    """Whether the host gave up a program because other programs of the machine left it no processor time.

    On a busy machine that is the right answer: the program is not late by its own fault, and its result is unknown.
    """
    error = verdict.error
    return error is not None and error.kind is ErrorKind.HOST and "of processor time on a busy machine" in error.message


def refused(*names: str, but: Mapping[str, tuple[str, ...]] | None = None) -> Judge:
    """A judge: every recorded trial was refused, and all of ``names`` were recorded. ``but``: other allowed outcomes by
    name.
    """

    def judge(verdict: Verdict) -> str:
        if verdict.error is not None:
            return f"no record: {verdict.error.message}"
        missing = [name for name in names if name not in verdict.info]
        allowed = [
            f"{name} {outcome}"
            for name, outcome in verdict.info.items()
            if str(outcome).startswith("allowed") and outcome not in (but or {}).get(name, ())
        ]
        if missing or not verdict.info:
            return f"not tried: {missing or 'anything'}"
        return "; ".join(allowed)

    return judge


def records(**expected: object) -> Judge:
    """A judge: the program recorded exactly this."""

    def judge(verdict: Verdict) -> str:
        if verdict.error is not None:
            return f"no record: {verdict.error.message}"
        return "" if verdict.info == expected else f"recorded {verdict.info}"

    return judge


def fails(*kinds: ErrorKind, words: str = "") -> Judge:
    """A judge: no reward, and an error of one of ``kinds`` with ``words`` in its message."""

    def judge(verdict: Verdict) -> str:
        if any(value is not None for value in verdict.rewards.values()):
            return f"a reward came out: {verdict.rewards}"
        error = verdict.error
        if error is None or error.kind not in kinds or words not in error.message:
            return f"ended as {error}"
        return ""

    return judge


FAILED = ErrorKind.VERIFIER_FAILED
TIMEOUT = ErrorKind.TIMEOUT
MEMORY = ErrorKind.MEMORY
OUTPUT = ErrorKind.OUTPUT
HOST_FAULT = ErrorKind.HOST


def completes(verdict: Verdict) -> str:
    """A judge: the call ended by itself with the reward that the program set (0)."""
    return "" if verdict.error is None and verdict.rewards == {"correct": 0.0} else f"ended as {verdict}"


def can_be_written(verdict: Verdict) -> str:
    """A judge: the verdict can be encoded as JSON and decoded again, and its only reward is the program's own 0."""
    try:
        again = Verdict.model_validate_json(verdict.model_dump_json())
        json.dumps(verdict.model_dump(mode="json"), allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        return f"it cannot be written: {error!r:.200}"
    if again.rewards not in ({"correct": 0.0}, {"correct": None}):
        return f"a reward came out: {again.rewards}"
    return ""

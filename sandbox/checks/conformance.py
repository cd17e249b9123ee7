"""Checks that a backend does what every backend must do: ``python -m sandbox conformance --backend NAME``."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sandbox.checks.conformance_bench import LIMIT_SECONDS, Bench, NotConformingError, expect, expect_error
from sandbox.checks.samples import TASK
from sandbox.errors import GuestFaultError, SessionClosedError
from sandbox.interface import Call
from sandbox.protocol import SandboxProtocol
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from schemas.wheels.box_python import DEFAULT_PYTHON

_CHECK_SECONDS = 240.0
"""A check that takes longer counts as hung. No check depends on the speed of the machine."""


@dataclass(frozen=True)
class CheckResult:
    """One check's result. ``problem`` is empty when it passed."""

    name: str
    sentence: str
    seconds: float
    problem: str


Check = Callable[[Bench], Awaitable[None]]
CHECKS: list[tuple[str, Check]] = []


def check(function: Check) -> Check:
    """Register a check under its function's name."""
    CHECKS.append((getattr(function, "__name__", ""), function))
    return function


async def run_checks(
    sandbox: SandboxProtocol, only: str = "", python: str = DEFAULT_PYTHON, limit_seconds: float = LIMIT_SECONDS
) -> AsyncIterator[CheckResult]:
    """Run every check (or those whose name contains ``only``) in boxes with that Python, one after the other.

    ``limit_seconds``: the time limit of calls that must exceed it. It may be short, as long as quick calls stay below
    it.
    """
    with tempfile.TemporaryDirectory(prefix="verihub-conformance-") as folder:
        bench = Bench(sandbox, Path(folder), python, limit_seconds)
        for name, function in CHECKS:
            if only in name:
                yield await _run_check(name, function, bench)


async def _run_check(name: str, function: Check, bench: Bench) -> CheckResult:
    started = time.monotonic()
    problem = ""
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            await function(bench)
    except TimeoutError:
        problem = f"it took longer than {_CHECK_SECONDS:g} s"
    except Exception as error:  # noqa: BLE001 -- a check reports whatever happens
        problem = f"{type(error).__name__}: {error}"
    sentence = (function.__doc__ or "").strip().rstrip(".")
    return CheckResult(name, sentence, time.monotonic() - started, problem)


@check
async def judges_at_every_level(bench: Bench) -> None:
    """The same call has the same verdict at every isolation level."""
    for level in Isolation:
        right, wrong = await bench.judge_one("2", level), await bench.judge_one("3", level)
        expect(right.rewards == {"correct": 1.0, "short": 1.0} and right.error is None, (level, right))
        expect(wrong.rewards == {"correct": 0.0, "short": 1.0}, (level, wrong))


@check
async def answers_every_call_once(bench: Bench) -> None:
    """A thousand calls in give a thousand verdicts out, each once, under its own id."""
    for level, count in ((Isolation.WORKER, 1000), (Isolation.BATCH, 300), (Isolation.CALL, 60)):
        calls = [Call(f"{level}-{i}", TASK, response="2" if i % 3 else "9") for i in range(count)]
        seen: dict[str, Verdict] = {}
        async for ident, verdict in bench.sandbox.score(bench.source, calls, isolation=level):
            expect(ident not in seen, f"{ident} twice")
            seen[ident] = verdict
        expect(set(seen) == {call.id for call in calls}, len(seen))
        wrong = [i for i in range(count) if seen[f"{level}-{i}"].rewards["correct"] != float(i % 3 > 0)]
        expect(not wrong, wrong[:5])


@check
async def keeps_nulls(bench: Bench) -> None:
    """A null reward stays null, also beside a reward that has a value."""
    expect((await bench.judge_one("null")).rewards == {"correct": 0.0, "short": None}, "another vector")


@check
async def names_the_authors_faults(bench: Bench) -> None:
    """An exception, an exit, a crash and an invalid reward vector give the error verifier_failed, which says what
    happened.
    """
    failed = ErrorKind.VERIFIER_FAILED
    expect_error(await bench.judge_one("raise"), failed, "on purpose")
    expect_error(await bench.judge_one("exit"), failed, "sys.exit(0)")
    expect_error(await bench.judge_one("vanish"), failed, "without returning a verdict")
    expect_error(await bench.judge_one("crash"), failed, "SIGSEGV")
    expect_error(await bench.judge_one("nan"), failed, "correct is nan")
    expect_error(await bench.judge_one("extra"), failed, "other")
    expect_error(await bench.judge_one("missing"), failed, "short")
    expect_error(await bench.judge_one("bool"), failed, "bool")
    expect_error(await bench.judge_one("large"), failed, "outside")


@check
async def ends_a_call_in_time(bench: Bench) -> None:
    """Sleeping and spinning calls are ended at their deadline, and the next call is right."""
    ended = await asyncio.gather(*(bench.judge_one(what, is_limited=True) for what in ("sleep 600", "spin")))
    for verdict in ended:
        expect_error(verdict, ErrorKind.TIMEOUT)
    for _ in range(2):
        following = await bench.judge_one("2", is_limited=True)
        expect(following.rewards["correct"] == 1.0, following)


@check
async def ends_a_call_that_wants_too_much(bench: Bench) -> None:
    """Too much memory and too much output each have their own error, and the next call is right."""
    expect_error(await bench.judge_one("eat 2000"), ErrorKind.MEMORY)
    expect_error(await bench.judge_one("talk 3000000"), ErrorKind.OUTPUT)
    expect((await bench.judge_one("2")).rewards["correct"] == 1.0, "a wrong next verdict")


@check
async def one_bad_call_spoils_no_other(bench: Bench) -> None:
    """At levels batch and worker, a call that dies or hangs does not affect the other calls of its call group."""
    levels = (Isolation.BATCH, Isolation.WORKER)
    responses = ["2", "x1", "vanish", "x2", "sleep 600", "x3"]
    both = await asyncio.gather(*(bench.judge(responses, level, is_limited=True) for level in levels))
    for level, verdicts in zip(levels, both, strict=True):
        expect_error(verdicts["vanish"], ErrorKind.VERIFIER_FAILED)
        expect_error(verdicts["sleep 600"], ErrorKind.TIMEOUT)
        for response in ("2", "x1", "x2", "x3"):
            expect(verdicts[response].rewards["correct"] == float(response == "2"), (level, verdicts[response]))


@check
async def shares_nothing_between_calls(bench: Bench) -> None:
    """At level call neither memory nor files reach the next call."""
    for _ in range(4):
        expect((await bench.judge_one("seen")).info == {"seen": 1}, "memory of an earlier call")
        expect((await bench.judge_one("file")).info == {"files": []}, "files of an earlier call")


@check
async def shows_both_views(bench: Bench) -> None:
    """A verifier that takes messages gets them when the caller gave a response."""
    expect((await bench.judge_one("echo")).info == {"roles": ["user", "assistant"]}, "other roles")


@check
async def runs_solutions_elsewhere(bench: Bench) -> None:
    """run_solution returns JSON values and errors of code that runs in a solution box."""
    good = await bench.judge_one("solve def f(x): return x + 1")
    expect(good.info.get("got") == [{"value": 2}, {"value": 3}], good)
    bad = await bench.judge_one("solve def f(x): return 1 // (x - 1)")
    expect("error" in bad.info["got"][0] and bad.info["got"][1] == {"value": 1}, bad)
    # It sleeps, because a solution that computes would get extra time on a busy machine.
    hangs = await bench.judge_one(f"hang {bench.limit_seconds} import time\ndef f(x): time.sleep(600)")
    expect(all("error" in row for row in hangs.info.get("got", [{}])), hangs)


@check
async def makes_tasks(bench: Bench) -> None:
    """Splits come from files and from generators, by start, count and seed."""
    rows = await bench.sandbox.tasks(bench.source, "train", start=1, count=2)
    expect([row["id"] for row in rows] == ["t1", "t2"], rows)
    made = await bench.sandbox.tasks(bench.source, "made", start=5, count=2, seed=3)
    expect([(row["id"], row["answer"]) for row in made] == [("made-3-5", "8"), ("made-3-6", "9")], made)


@check
async def calls_tools(bench: Bench) -> None:
    """Tools have a schema from hints and docstring, and are called by name."""
    [tool] = await bench.sandbox.tools(bench.source)
    expect(tool["function"]["name"] == "lookup" and tool["function"]["parameters"]["required"] == ["city"], tool)
    answer = await bench.sandbox.call_tool(bench.source, "lookup", {"city": "Rome"})
    expect(answer == {"city": "Rome", "count": 1}, answer)
    try:
        await bench.sandbox.call_tool(bench.source, "nothing", {})
    except GuestFaultError:
        return
    raise NotConformingError("a tool that does not exist answered")


@check
async def holds_sessions(bench: Bench) -> None:
    """reset, step, state, branch and undo work on memory and folder of a live session, and a replay gives the same."""
    async with bench.sandbox.session(bench.source, TASK, seed=1) as session:
        await session.reset()
        for content in ("1", "2"):
            await session.step({"role": "assistant", "content": content})
        branch = await session.branch()
        await branch.step({"role": "assistant", "content": "5"})
        expect(await branch.state() == {"total": 9, "steps": "125"}, await branch.state())
        expect(await session.state() == {"total": 4, "steps": "12"}, await session.state())
        await session.undo()
        expect(await session.state() == {"total": 2, "steps": "1"}, await session.state())
        ending = await session.step({"role": "assistant", "content": "8"})
        expect(ending["rewards"] == {"correct": 1.0, "short": None}, ending)
        expect((await bench.sandbox.sessions.replay(bench.source, session)).is_equal, "another replay")
        await _dies_alone(session, branch)
        await branch.close()


async def _dies_alone(session: Any, sibling: Any) -> None:
    try:
        await session.step({"role": "assistant", "content": "die"})
    except SessionClosedError:
        expect((await sibling.state())["total"] == 9, "the sibling is not as it was")
        return
    raise NotConformingError("a session that died did not say so")


@check
async def cancels(bench: Bench) -> None:
    """Leaving the iterator frees the boxes: the next call does not wait for what was left."""
    calls = [
        Call(str(i), TASK, response="sleep 15" if i else "2") for i in range(1000)
    ]  # enough calls to keep all boxes busy for hours
    async with aclosing(bench.sandbox.judge(bench.source, calls, isolation=Isolation.CALL)) as judged:
        async for _ in judged:
            break
    expect((await bench.judge_one("2")).rewards["correct"] == 1.0, "a wrong next verdict")


@check
async def reads_no_further_than_needed(bench: Bench) -> None:
    """Back-pressure: an endless stream of calls is read only as far as verdicts are taken and the queues allow."""
    read = 0

    async def endless() -> AsyncIterator[Call]:
        nonlocal read
        while True:
            read += 1
            yield Call(str(read), TASK, response="2")

    async with aclosing(bench.sandbox.judge(bench.source, endless(), isolation=Isolation.WORKER)) as judged:
        async for _ in judged:
            await asyncio.sleep(0.3)
            break
    expect(read <= 20_000, f"{read} calls read")


@check
async def passes_on_no_secrets(bench: Bench) -> None:
    """Nothing of the host's environment is visible to the package."""
    verdict = await bench.judge_one("solve def f(x):\n    import os\n    return sorted(os.environ)")
    [row, _] = verdict.info["got"]
    engines_own = {"PATH", "LANG", "HOME", "HOSTNAME", "LC_CTYPE", "PWD", "PYTHONHASHSEED", "TERM", "container"}
    expect("value" in row and set(row["value"]) <= engines_own, row)


@check
async def orders_sets_by_the_seed(bench: Bench) -> None:
    """A set of strings has the same order in every box, and another one in boxes with another hash seed."""
    orders = []
    for hash_seed, isolation in ((0, Isolation.WORKER), (0, Isolation.BOX), (1, Isolation.WORKER)):
        source = replace(bench.source, hash_seed=hash_seed)
        calls = [Call("order", TASK, response="order")]
        [(_, verdict)] = [one async for one in bench.sandbox.score(source, calls, isolation=isolation)]
        orders.append(verdict.info.get("order"))
    usual, in_another_box, with_another_seed = orders
    expect(len(usual or []) == 20 and usual == in_another_box != with_another_seed, orders)
    expect(sorted(usual or []) == sorted(with_another_seed or []), orders)


@check
async def imports_from_nowhere_else(bench: Bench) -> None:
    """Neither work folder nor a user's site-packages nor the modules of the guest shadow what a package imports."""
    found = (await bench.judge_one("path")).info
    *path, work_folder = found["path"]
    expect(found["flags"] == [True, 1], found)
    expect(
        not {"", ".", work_folder} & set(path) and not [one for one in path if one.endswith("guest/sandbox/guest")],
        path,
    )

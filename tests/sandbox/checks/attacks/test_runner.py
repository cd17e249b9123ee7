"""When an attempt counts as not contained, with a box that is played: no engine, no real time."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.attacks import runner
from sandbox.checks.attacks.attempt import FAIR_SECONDS, HOST, SHORT_SECONDS, Attempt, completes, fails
from sandbox.checks.attacks.runner import run_attempt, run_attempts, run_other
from sandbox.checks.conformance import CheckResult
from sandbox.interface import Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind, Verdict

TRIES = Attempt("reward = 0.0", completes, name="tries", sentence="It ends by itself.")
FRESH = {"call": {"umask": 18}, "solution": [{"umask": 18}, ""]}
SETTINGS = SandboxSettings(replay_fraction=0.0, host_retries=0)


class Guest:
    """A grader's box. ``after`` is what the calls after the attempt get: a reward, or changed facts."""

    def __init__(self, *, ping: float = 1.0, facts: dict[str, Any] | None = None) -> None:
        self.ping = ping
        self.facts = facts or FRESH
        self.asked: list[str] = []

    def verify(self, task: dict[str, Any], response: str, info: dict[str, Any]) -> dict[str, float]:
        is_after = TRIES.program in self.asked
        self.asked.append("look" if "look()" in response else response)
        if response == "ping":
            return {"correct": self.ping if is_after else 1.0}
        info.update(self.facts if is_after else FRESH)
        return {"correct": 0.0}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return HOST.source(tmp_path)


def tried(
    source: Source,
    guest: Guest,
    one: Attempt = TRIES,
    *,
    lost: bool = False,
    runtime: str | None = None,
    work: Callable[[Sandbox], Any] | None = None,
) -> CheckResult:
    """The result of one attempt. ``lost``: a box is lost while it runs, and the sandbox finds another."""

    async def run() -> CheckResult:
        backend = ScriptedBackend(guest.verify)
        async with Sandbox(backend, SETTINGS.model_copy(update={"runtime": runtime})) as sandbox:
            if lost:
                verify = guest.verify

                def losing(task: dict[str, Any], response: str, info: dict[str, Any]) -> dict[str, float]:
                    if response == one.program:
                        sandbox.metrics.count("boxes_lost", "sample/attacked", "died")
                    return verify(task, response, info)

                backend._verify = losing
            result: CheckResult = await (work(sandbox) if work else run_attempt(sandbox, source, one))
            return result

    return asyncio.run(run())


def test_an_attempt_that_ends_safely_is_contained(source: Source) -> None:
    guest = Guest()
    result = tried(source, guest)
    assert (result.name, result.sentence, result.problem) == ("tries", "It ends by itself.", "")
    after = guest.asked[guest.asked.index(TRIES.program) + 1 :]
    assert after == ["ping", "ping", *["look"] * 4], "one call on each box, then a look around"


def test_without_a_look_only_the_next_calls_are_judged(source: Source) -> None:
    guest = Guest(facts={**FRESH, "call": {"umask": 0}})
    assert "umask 0, not 18" in tried(source, guest).problem
    quick = Guest(facts={**FRESH, "call": {"umask": 0}})
    assert tried(source, quick, work=lambda sandbox: run_attempt(sandbox, source, TRIES, looks=False)).problem == ""


def test_an_end_that_its_judge_refuses_is_a_problem(source: Source) -> None:
    refusing = replace(TRIES, is_safe=fails(ErrorKind.TIMEOUT))
    assert tried(source, Guest(), refusing).problem.startswith("a reward came out")


@pytest.mark.parametrize("ping", [0.0, 0.5])
def test_a_wrong_verdict_of_the_next_call_is_a_problem(source: Source, ping: float) -> None:
    problem = tried(source, Guest(ping=ping)).problem
    assert problem.startswith("the next call got")
    assert f"'correct': {ping}" in problem


@pytest.mark.parametrize(
    ("more", "runtime", "problem"),
    [
        ({}, None, "the box was lost"),
        ({"may_lose_box": True}, None, ""),
        ({"on_gvisor": completes}, "runsc", ""),
        ({"on_gvisor": completes}, None, "the box was lost"),
        ({}, "runsc", "the box was lost"),
    ],
    ids=["without leave", "with leave", "weaker on gVisor", "not on gVisor", "on gVisor without leave"],
)
def test_a_lost_box_needs_leave(source: Source, more: dict[str, Any], runtime: str | None, problem: str) -> None:
    assert tried(source, Guest(), replace(TRIES, **more), lost=True, runtime=runtime).problem == problem


@pytest.mark.parametrize(
    ("words", "problem"),
    [("given up: 0.1 s of processor time on a busy machine", ""), ("the box was killed", "the box was lost")],
    ids=["starved", "killed"],
)
def test_a_box_that_the_host_gave_up_because_strangers_starved_it_is_not_a_lost_one(
    source: Source, monkeypatch: pytest.MonkeyPatch, words: str, problem: str
) -> None:
    judge_call = runner.judge_call

    async def judged(sandbox: Sandbox, source: Source, response: str, *more: Any, **limits: Any) -> Verdict:
        verdict = await judge_call(sandbox, source, response, *more, **limits)
        return Verdict.unjudged(["correct"], ErrorKind.HOST, words) if response == TRIES.program else verdict

    monkeypatch.setattr(runner, "judge_call", judged)
    assert tried(source, Guest(), replace(TRIES, is_safe=fails(ErrorKind.HOST)), lost=True).problem == problem


def test_on_gvisor_the_weaker_judge_decides(source: Source) -> None:
    weaker = replace(TRIES, is_safe=fails(ErrorKind.TIMEOUT), on_gvisor=completes)
    assert tried(source, Guest(), weaker, runtime="runsc-kvm").problem == ""
    assert tried(source, Guest(), weaker).problem != ""


@pytest.mark.parametrize(
    ("jumps", "problem"),
    [
        ([0, 119, 119, 238], ""),
        ([0, 121, 121, 121], "it took 121.0 s"),
        ([0, 1, 1, 122], "the next calls took 121.0 s"),
    ],
    ids=["in time", "late", "next ones late"],
)
def test_what_takes_too_long_is_a_problem(
    source: Source, monkeypatch: pytest.MonkeyPatch, jumps: list[float], problem: str
) -> None:
    times = iter(jumps)
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: float(next(times))))
    assert tried(source, Guest()).problem == problem


@pytest.mark.parametrize(("by_clock", "limit"), [(False, FAIR_SECONDS), (True, SHORT_SECONDS)])
def test_only_an_attempt_that_its_limit_ends_has_a_short_one(
    source: Source, monkeypatch: pytest.MonkeyPatch, *, by_clock: bool, limit: float
) -> None:
    limits: dict[str, float] = {}
    score = Sandbox.score

    def spied(self: Sandbox, source: Source, calls: Any) -> Any:
        limits[calls[0].response] = source.manifest.sandbox.timeout_seconds
        return score(self, source, calls)

    monkeypatch.setattr(Sandbox, "score", spied)
    tried(source, Guest(), replace(TRIES, ends_by_clock=by_clock))
    assert (limits[TRIES.program], limits["ping"]) == (limit, FAIR_SECONDS)


class Other:
    """An attempt of a session or a package, with what it finds."""

    def __init__(self, name: str, found: str = "") -> None:
        self.name, self.sentence, self.found = name, "It stays in its session.", found

    async def problem(self, _: Sandbox) -> str:
        return self.found


@pytest.mark.parametrize(
    ("found", "facts", "problem"),
    [
        ("", FRESH, ""),
        ("a sibling was seen", FRESH, "a sibling was seen"),
        ("", {**FRESH, "call": {"umask": 0}}, "umask"),
    ],
    ids=["contained", "not contained", "left something"],
)
def test_after_a_session_or_package_the_calls_of_others_are_looked_at(
    source: Source, found: str, facts: dict[str, Any], problem: str
) -> None:
    guest = Guest(facts=facts)

    async def work(sandbox: Sandbox) -> CheckResult:
        await runner.remember_fresh_boxes(sandbox, source)
        guest.asked.append(TRIES.program)
        return await run_other(sandbox, source, Other("session", found))  # type: ignore[arg-type]

    result = tried(source, guest, work=work)
    assert (result.problem == "") is (problem == "")
    assert problem in result.problem


@pytest.mark.parametrize(("only", "names"), [("", ["tries", "more", "other"]), ("e", ["tries", "more", "other"]),
                                             ("or", ["more"]), ("none", [])])  # fmt: skip
def test_attempts_are_picked_by_name_and_told_as_they_end(
    monkeypatch: pytest.MonkeyPatch, only: str, names: list[str]
) -> None:
    monkeypatch.setattr(runner, "ATTEMPTS", [TRIES, replace(TRIES, name="more")])
    monkeypatch.setattr(runner, "OTHERS", [Other("other", "seen")])
    looks = count()

    async def work() -> list[CheckResult]:
        async with Sandbox(ScriptedBackend(Guest().verify), SETTINGS) as sandbox:
            results = []
            async for one in run_attempts(sandbox, only):
                assert len(results) == next(looks)
                results.append(one)
            return results

    results = asyncio.run(work())
    assert [one.name for one in results] == names
    assert [one.problem for one in results if one.problem] == ["seen"] * ("other" in names)

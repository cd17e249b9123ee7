"""What counts as a safe end of an attempt, on verdicts of every kind; and the grader that runs its response itself."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.attacks.attempt import (
    FAILED,
    HOST,
    HOST_FAULT,
    MEMORY,
    OUTPUT,
    TIMEOUT,
    Judge,
    can_be_written,
    completes,
    fails,
    is_starved,
    judge_call,
    records,
    refused,
)
from sandbox.sandbox import Sandbox
from schemas.verdict import ErrorKind, Verdict, VerdictError

STARVED = "given up: it got 0.1 s of processor time on a busy machine"


def ended(kind: ErrorKind, message: str = "words", reward: float | None = None) -> Verdict:
    return Verdict(rewards={"correct": reward}, error=VerdictError(kind=kind, message=message))


def scored(reward: float | None = 0.0, **info: Any) -> Verdict:
    return Verdict(rewards={"correct": reward}, info=info)


RIGHT = scored(1.0)
EVERY_ERROR = [ended(kind) for kind in ErrorKind]


@pytest.mark.parametrize(
    ("judge", "verdict", "problem"),
    [
        (refused(), scored(open="EPERM"), ""),
        (refused("open"), scored(open="EPERM", mount="PermissionError"), ""),
        (refused(), scored(), "not tried: anything"),
        (refused("open", "mount"), scored(open="EPERM"), "not tried: ['mount']"),
        (refused("open"), scored(open="allowed: 3"), "open allowed: 3"),
        (refused("open"), scored(open="EPERM", fork="allowed: 7"), "fork allowed: 7"),
        (refused("open", but={"open": ("allowed: 3",)}), scored(open="allowed: 3"), ""),
        (refused("open", but={"open": ("allowed: 3",)}), scored(open="allowed: 4"), "open allowed: 4"),
        (refused("open", but={"fork": ("allowed: 3",)}), scored(open="allowed: 3"), "open allowed: 3"),
        (records(n=1), scored(n=1), ""),
        (records(n=1), scored(n=2), "recorded {'n': 2}"),
        (records(n=1), scored(n=1, more=2), "recorded {'n': 1, 'more': 2}"),
        (records(), scored(), ""),
        (fails(TIMEOUT), ended(TIMEOUT), ""),
        (fails(TIMEOUT, MEMORY), ended(MEMORY), ""),
        (fails(TIMEOUT), ended(MEMORY), "ended as"),
        (fails(TIMEOUT), scored(None), "ended as None"),
        (fails(TIMEOUT), scored(0.0), "a reward came out"),
        (fails(TIMEOUT), ended(TIMEOUT, reward=1.0), "a reward came out"),
        (fails(FAILED, words="10 MB"), ended(FAILED, "more than 10 MB"), ""),
        (fails(FAILED, words="10 MB"), ended(FAILED, "more"), "ended as"),
        (completes, scored(0.0), ""),
        (completes, RIGHT, "ended as"),
        (completes, scored(None), "ended as"),
        (can_be_written, scored(0.0, text="é", n=[1e308]), ""),
        (can_be_written, ended(OUTPUT), ""),
        (can_be_written, RIGHT, "a reward came out"),
        (can_be_written, scored(0.0, text="\ud800"), "it cannot be written"),
        (can_be_written, Verdict(rewards={"correct": 0.0, "more": 0.0}), "a reward came out"),
    ],
)
def test_a_judge_names_what_is_wrong_and_nothing_else(judge: Judge, verdict: Verdict, problem: str) -> None:
    said = judge(verdict)
    assert (said == "") is (problem == "")
    assert said.startswith(problem)


@pytest.mark.parametrize("verdict", EVERY_ERROR, ids=lambda verdict: str(verdict.error.kind))
def test_an_error_is_no_record_no_end_of_its_own_and_fails_as_itself_only(verdict: Verdict) -> None:
    assert verdict.error is not None
    assert refused("open")(verdict) == records()(verdict) == "no record: words"
    assert completes(verdict).startswith("ended as")
    for kind in (FAILED, TIMEOUT, MEMORY, OUTPUT, HOST_FAULT):
        assert (fails(kind)(verdict) == "") is (kind is verdict.error.kind)


@pytest.mark.parametrize(
    ("verdict", "starved"),
    [
        (ended(ErrorKind.HOST, STARVED), True),
        (ended(ErrorKind.HOST, "the box was lost"), False),
        (ended(ErrorKind.TIMEOUT, STARVED), False),
        (RIGHT, False),
    ],
    ids=["starved", "lost", "late", "right"],
)
def test_only_the_host_says_that_a_program_was_starved(verdict: Verdict, *, starved: bool) -> None:
    assert is_starved(verdict) is starved


@pytest.mark.parametrize(("seconds", "expected"), [(None, 30.0), (1.5, 1.5)])
def test_a_call_may_have_a_limit_of_its_own_in_the_same_boxes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float | None, expected: float
) -> None:
    async def work() -> None:
        source, limits, digests = HOST.source(tmp_path), [], []
        async with Sandbox(ScriptedBackend(lambda response: {"correct": float(response == "ping")})) as sandbox:
            score = sandbox.score

            def spied(source: Any, calls: Any) -> Any:
                limits.append(source.manifest.sandbox.timeout_seconds)
                digests.append(source.digest)
                return score(source, calls)

            monkeypatch.setattr(sandbox, "score", spied)
            assert (await judge_call(sandbox, source, "ping", seconds=seconds)).rewards == {"correct": 1.0}
        assert (limits, digests) == ([expected], [source.digest])
        assert source.manifest.sandbox.timeout_seconds == 30.0

    asyncio.run(work())


def test_the_grader_runs_the_response_and_records_each_trial(tmp_path: Path) -> None:
    scope: dict[str, Any] = {}
    exec(compile(HOST.code.replace("\n    ", "\n"), "host", "exec"), scope)
    info: dict[str, Any] = {}
    program = (
        "attempt('open', open, task['path'])\nattempt('number', int, 'x')\nattempt('adds', sum, [1, 2])\n"
        "attempt('negative', int, -1)\nattempt('false', bool, 0)\nreward = 0.5"
    )
    assert scope["verify"]({"path": str(tmp_path / "none")}, program, info) == {"correct": 0.5}
    assert not info.pop("negative").startswith("allowed"), "as a failed call of libc, with its errno"
    assert info == {"open": "ENOENT", "number": "ValueError", "adds": "allowed: 3", "false": "allowed: False"}
    assert scope["verify"]({}, "ping", {}) == {"correct": 1.0}
    assert scope["verify"]({}, "pass", {}) == {"correct": 0.0}

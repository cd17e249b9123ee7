"""Judging: every line is answered once, nothing that could not be judged becomes a 0, and nothing is dropped in silence."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub_server.errors import ExecutionUnavailableError, InvalidRequestError
from hub_server.execution.actions.targets import scoring_target
from hub_server.execution.actions.verdicts import judge_one, judged_lists, score_stream
from hub_server.execution.rules import RefusedLine
from schemas.evidence.audit_plan import ReplayCount
from schemas.verdict import ErrorKind, ScoreLine, ScoreRequest, Verdict
from tests.hub_server.execution.played import SUMS
from tests.making.action_driver import ActionDriver

TASK = {"id": "x", "prompt": "1+1?", "answer": 2}


@pytest.fixture
def target(playable: ActionDriver):
    return playable.ask(None, scoring_target, SUMS)


def request(identifier: str, **more) -> ScoreRequest:
    return ScoreRequest(id=identifier, **{"task_id": "t1", "response": "2", **more})


def test_a_task_may_be_whole_or_named(playable: ActionDriver, target) -> None:
    lines = [request("whole", task=TASK, task_id=None), request("named"), request("split", split="train", response="3")]
    found = {line.id: line.verdict.rewards["correct"] for line in score_stream(playable.services, target, lines)}
    assert found == {"whole": 1.0, "named": 1.0, "split": 0.0}


REFUSED = {
    "no task": request("a", task_id=None),
    "no response": request("a", response=None),
    "a task that is not there": request("a", task_id="t9"),
    "a split that is not there": request("a", split="none"),
    "a split that code makes": request("a", task_id="endless-0-0", split="endless"),
}


@pytest.mark.parametrize("line", REFUSED.values(), ids=REFUSED)
def test_a_line_that_cannot_be_judged_is_refused_with_its_number_and_the_others_are_judged(
    playable: ActionDriver, target, line
) -> None:
    answers = list(score_stream(playable.services, target, [request("first"), line, request("last")]))
    judged = {one.id for one in answers if isinstance(one, ScoreLine)}
    (refused,) = [one for one in answers if isinstance(one, RefusedLine)]
    assert judged == {"first", "last"}
    assert (refused.id, refused.line) == ("a", 2)
    assert refused.message.startswith("line 2: ")


def test_an_id_that_comes_twice_is_refused_the_second_time(playable: ActionDriver, target) -> None:
    answers = list(score_stream(playable.services, target, [request("a"), request("a"), request("b")]))
    assert Counter(type(one).__name__ for one in answers) == {"ScoreLine": 2, "RefusedLine": 1}


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["t1", "t9", None]), st.sampled_from(["2", None])), max_size=8
    )
)
def test_as_many_answers_come_out_as_lines_went_in(playable: ActionDriver, target, lines) -> None:
    asked = [request(name, task_id=task, response=said) for name, task, said in lines]
    answers = list(score_stream(playable.services, target, asked))
    assert len(answers) == len(asked)
    numbers = [one.line for one in answers if isinstance(one, RefusedLine)]
    assert len(set(numbers)) == len(numbers)
    first_good = {name for name, task, said in lines if task == "t1" and said}
    assert {one.id for one in answers if isinstance(one, ScoreLine)} == first_good


def test_a_verdict_that_could_not_be_given_is_null_and_no_zero(playable: ActionDriver, target) -> None:
    playable.executor.judge_call = lambda *_: Verdict.unjudged(["correct"], ErrorKind.TIMEOUT, "5 s were not enough")
    verdict = judge_one(playable.services, target, request("a"))
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None


def test_one_request_that_cannot_be_judged_is_refused_without_a_line_number(playable: ActionDriver, target) -> None:
    with pytest.raises(InvalidRequestError, match=r"^give response"):
        judge_one(playable.services, target, request("a", response=None))


def test_without_a_sandbox_nothing_is_judged(playable: ActionDriver, target) -> None:
    playable.executor.reason = "the engine is away"
    with pytest.raises(ExecutionUnavailableError, match="the engine is away"):
        judge_one(playable.services, target, request("a"))


def test_what_the_sandbox_found_by_replaying_is_kept_also_when_the_reader_goes_away(
    playable: ActionDriver, target
) -> None:
    playable.executor.replays = ReplayCount(4, 1)
    stream = score_stream(playable.services, target, [request("a"), request("b")])
    next(stream)
    stream.close()
    assert playable.rows(
        "SELECT replayed_count, replay_mismatch_count FROM releases WHERE package_id = :p", p=SUMS
    ) == [(4, 1)]


def test_a_stream_without_findings_writes_nothing(playable: ActionDriver, target) -> None:
    with playable.statements() as sent:
        list(score_stream(playable.services, target, [request("a")]))
    assert not any(statement.startswith("UPDATE") for statement in sent)


RAW = [b'{"id": "a", "task_id": "t1", "response": "2"}', b"{", b'{"id": "b", "task_id": "t9", "response": "2"}',
       b'{"id": "c", "task_id": "t1", "response": NaN}', b'{"id": "a", "task_id": "t1", "response": "2"}', b"[]", b""]  # fmt: skip


@pytest.mark.parametrize("batch", [1, 3, 7])
def test_raw_lines_are_numbered_and_answered_alike_however_they_arrive(
    playable: ActionDriver, target, batch: int
) -> None:
    async def body() -> AsyncIterator[list[bytes]]:
        for start in range(0, len(RAW), batch):
            yield RAW[start : start + batch]

    async def here(function):
        return function()

    async def answers():
        return [
            line async for found in judged_lists(playable.services, target, body(), None, here) for line in found.lines
        ]

    found = asyncio.run(answers())
    assert [one.id for one in found if isinstance(one, ScoreLine)] == ["a"]
    assert sorted(one.line for one in found if isinstance(one, RefusedLine)) == [2, 3, 4, 5, 6, 7]


def test_a_line_beyond_the_limit_is_refused_and_the_stream_goes_on(playable: ActionDriver, target) -> None:
    limit = playable.services.settings.limits.score_line_bytes

    async def body() -> AsyncIterator[list[bytes]]:
        yield [b"x" * (limit + 1), RAW[0]]

    async def here(function):
        return function()

    async def answers():
        return [
            line async for found in judged_lists(playable.services, target, body(), None, here) for line in found.lines
        ]

    kinds = [type(one).__name__ for one in asyncio.run(answers())]
    assert sorted(kinds) == ["RefusedLine", "ScoreLine"]

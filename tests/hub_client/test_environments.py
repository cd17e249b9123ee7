import asyncio
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from hub_client.environments import Environment
from hub_client.errors import CheckFailedError, NotFoundError, UsageError
from hub_client.releases.resolve import LoadedPackage
from schemas.task import Task
from schemas.verdict import ErrorKind, ScoreRequest, Verdict
from schemas.wheels.wheel import read_wheel
from tests.fakes.runner import FakeRunner
from tests.making.wheel import MANIFEST, make_wheel

GENERATED = MANIFEST.replace(
    'tasks = { train = "tasks.jsonl" }', 'tasks = { train = "tasks.jsonl", more = "alice_small_sums:generate" }'
)


def load(**options):
    contents = read_wheel(make_wheel(**options))
    return LoadedPackage("alice/small-sums", "1.0.0", contents.digest, Path("unused.whl"), contents)


def exact(request):
    return Verdict(rewards={"correct": float(request.response == str(request.task["answer"]))})


def environment(judge=exact, **options):
    package = load(**{key: value for key, value in options.items() if key != "tasks"})
    runner = FakeRunner(judge, options.get("tasks"))
    return Environment(package, package, lambda: runner), runner


TASK = {"id": "x", "prompt": "?", "answer": 2}


def test_rows_of_a_table_stand_in_the_order_of_the_pairs() -> None:
    env, _ = environment()
    table = env.score([(TASK, "2"), (TASK, "3"), (Task(id="y", prompt="?", answer=7), "7")])
    assert table.rows == [[1.0], [0.0], [1.0]]


def test_a_verdict_that_never_came_is_unjudged_and_says_whose_fault_it_was() -> None:
    env, _ = environment(lambda request: None if request.id == "1" else exact(request))
    table = env.score([(TASK, "2"), (TASK, "2")])
    assert table.rows == [[1.0], [None]]
    assert table.errors[1].kind is ErrorKind.HOST


def test_so_is_the_verdict_of_a_single_request_in_a_thread_too() -> None:
    """A StopIteration reaches no future: whoever awaited the thread waited for ever."""
    env, _ = environment(lambda _: None)

    async def work() -> Verdict:
        asked = asyncio.to_thread(env.score_call, ScoreRequest(id="0", task=TASK, response="2"))
        return await asyncio.wait_for(asked, timeout=5)

    verdict = asyncio.run(work())
    assert verdict.rewards == {"correct": None}
    assert verdict.error.kind is ErrorKind.HOST


def test_pairs_are_judged_as_they_arrive() -> None:
    env, _ = environment()

    async def work():
        async def pairs():
            yield TASK, "2"
            yield TASK, "4"

        return {index: verdict.rewards["correct"] async for index, verdict in env.score_stream(pairs())}

    assert asyncio.run(work()) == {0: 1.0, 1: 0.0}


def test_a_conversation_is_sent_as_messages() -> None:
    seen = []
    env, _ = environment(lambda request: seen.append(request) or exact(request))
    env.score([(TASK, [{"role": "assistant", "content": "2"}])])
    assert seen[0].messages == [{"role": "assistant", "content": "2"}]
    assert seen[0].response is None


def test_stored_tasks_come_from_the_wheel_with_start_and_limit() -> None:
    env, runner = environment()
    assert [task["id"] for task in env.tasks("train")] == ["t1", "t2"]
    assert [task["id"] for task in env.tasks("train", start=1, limit=5)] == ["t2"]
    assert [task["id"] for task in env.tasks("train", limit=1)] == ["t1"]
    assert env.find_task("t2")["answer"] == 5
    assert env.find_task("t9") is None
    assert runner.asked == []


def test_an_unknown_split_names_the_known_ones() -> None:
    env, _ = environment()
    with pytest.raises(NotFoundError, match="its splits are train"):
        env.tasks("test")


def test_a_generated_split_is_asked_for_in_blocks_and_only_as_far_as_needed() -> None:
    made = [{"id": str(index), "prompt": "?"} for index in range(450)]
    env, runner = environment(manifest=GENERATED, tasks=made)
    assert [task["id"] for task in env.tasks("more", start=5, limit=3)] == ["5", "6", "7"]
    assert runner.asked == [(5, 3)]
    runner.asked.clear()
    assert len(list(islice(env.tasks("more"), 250))) == 250
    assert runner.asked == [(0, 200), (200, 200)]
    assert len(list(env.tasks("more"))) == 450


def test_a_session_is_closed_however_it_ends() -> None:
    manifest = MANIFEST.replace("[rewards.correct]", 'session = "alice_small_sums:Session"\n\n[rewards.correct]')
    env, _ = environment(manifest=manifest)
    kept = []

    async def work():
        async with env.session(TASK, seed=3) as session:
            kept.append(session)
            await session.reset()
            assert not (await session.step({"role": "assistant", "content": "a"}))["done"]
            twin = await session.branch()
            assert (await session.step({"role": "assistant", "content": "b"}))["done"]
            await session.undo()
            assert await session.state() == await twin.state()
            raise KeyError

    with pytest.raises(KeyError):
        asyncio.run(work())
    assert kept[0]._live.is_closed


def test_an_environment_without_sessions_says_so() -> None:
    env, _ = environment()

    async def work():
        async with env.session(TASK):
            pass

    with pytest.raises(CheckFailedError, match="single-turn"):
        asyncio.run(work())


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["a"], r"pair 0 is str 'a': give \(task, response\)"),
        ([({}, "x"), 3], r"pair 1 is int 3: give \(task, response\)"),
        ({"prompt": "?"}, "pair 0 is str 'prompt'"),
        ([("task", "x")], "the task of pair 0 is str 'task': give a task, or a dict"),
        ([({}, 3)], "the response of pair 0 is int 3: give a text"),
        ([({}, "y" * 2), ({}, {"role": "x" * 99})], "the response of pair 1 is dict {'role': 'xxx.*…: give a text"),
    ],
)
def test_what_is_no_pair_of_task_and_response_is_said_so(pairs: Any, words: str) -> None:
    """They were a ValueError of unpacking and pydantic's own words."""
    env, _ = environment()
    with pytest.raises(UsageError, match=words):
        env.score(pairs)

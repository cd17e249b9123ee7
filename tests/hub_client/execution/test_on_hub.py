import asyncio
import json
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from hub_client.errors import HubUnreachableError, NotFoundError, SandboxMissingError, UsageError
from hub_client.execution.on_hub import HubRunner
from hub_client.releases.resolve import LoadedPackage
from hub_client.transport.connection import AsyncConnection, HubConnection
from schemas.package import Release
from schemas.verdict import ErrorKind, ScoreRequest
from schemas.wheels.wheel import read_wheel
from tests.making.wheel import make_wheel

URL = "http://hub.example"


def published():
    contents = read_wheel(make_wheel())
    release = Release(
        package="alice/small-sums", version="1.0.0", digest=contents.digest, size_bytes=1, licence="MIT",
        published_at="2026-11-01T00:00:00Z", published_by="alice", manifest=contents.manifest,
    )  # fmt: skip
    return LoadedPackage("alice/small-sums", "1.0.0", contents.digest, Path("x.whl"), contents, release)


def judged(row):
    return {"id": row["id"], "verdict": {"rewards": {"correct": float(row["response"] == "2")}}}


def hub(seen=None, answer=judged, drop=()):
    """A scoring stream that answers in reverse, and leaves out the ids in ``drop``."""

    def handler(request):
        assert request.url.path == "/api/v1/packages/alice/small-sums/releases/1.0.0/score"
        rows = [json.loads(line) for line in request.content.splitlines()]
        if seen is not None:
            seen.append(len(rows))
        lines = [answer(row) for row in reversed(rows) if row["id"] not in drop]
        return httpx.Response(200, text="".join(json.dumps(line) + "\n" for line in [*lines, {"summary": {}}]))

    return httpx.MockTransport(handler)


def runner(transport):
    return HubRunner(
        HubConnection(URL, None, transport=transport), lambda: AsyncConnection(URL, None, transport=transport)
    )


def requests(count, response="2"):
    return [ScoreRequest(id=str(index), task={"answer": 2}, response=response) for index in range(count)]


async def arriving(items):
    for item in items:
        yield item


def collect(stream):
    async def work():
        return [one async for one in stream]

    return asyncio.run(work())


def test_many_pairs_go_in_bounded_requests() -> None:
    seen = []
    found = dict(runner(hub(seen)).score(published(), requests(600)))
    assert {verdict.rewards["correct"] for verdict in found.values()} == {1.0}
    assert (len(found), sum(seen), max(seen)) == (600, 600, 256)


def test_a_stream_gives_every_verdict_once() -> None:
    found = collect(runner(hub()).score_stream(published(), arriving(requests(300))))
    assert sorted(int(index) for index, _ in found) == list(range(300))


@pytest.mark.parametrize("way", ["score", "score_stream"])
def test_what_the_hub_never_answered_is_unjudged(way) -> None:
    one = runner(hub(drop={"3"}))
    found = dict(
        one.score(published(), requests(5))
        if way == "score"
        else collect(one.score_stream(published(), arriving(requests(5))))
    )
    assert found["3"].rewards == {"correct": None}
    assert found["3"].error.kind is ErrorKind.HOST
    assert found["4"].rewards == {"correct": 1.0}


def test_a_refusal_is_raised_where_verdicts_are_awaited() -> None:
    problem = {"title": "No", "status": 404, "code": "release_not_found", "detail": "gone"}
    refusing = runner(httpx.MockTransport(lambda _request: httpx.Response(404, json=problem)))
    with pytest.raises(NotFoundError, match="gone"):
        list(refusing.score(published(), requests(1)))
    with pytest.raises(NotFoundError, match="gone"):
        collect(refusing.score_stream(published(), arriving(requests(1))))


@pytest.mark.parametrize("answer", [object(), float("nan"), {1, 2}])
def test_what_json_cannot_hold_is_raised_and_does_not_hang(answer) -> None:
    poisoned = [ScoreRequest(id="0", task={"answer": answer}, response="x")]
    with pytest.raises(UsageError, match="'0' cannot be sent as JSON"):
        collect(runner(hub()).score_stream(published(), arriving(poisoned)))
    with pytest.raises(UsageError, match="'0' cannot be sent as JSON"):
        list(runner(hub()).score(published(), poisoned))


def test_half_a_surrogate_pair_in_a_response_does_not_end_its_batch() -> None:
    calls = [*requests(2), ScoreRequest(id="half", task={"answer": 2}, response="\ud800")]
    found = dict(runner(hub()).score(published(), calls))
    assert found.keys() == {"0", "1", "half"}
    assert found["0"].rewards == {"correct": 1.0}


def test_a_failing_source_is_raised() -> None:
    async def broken():
        yield requests(1)[0]
        raise ValueError("at the source")

    with pytest.raises(ValueError, match="at the source"):
        collect(runner(hub()).score_stream(published(), broken()))


def test_a_folder_cannot_be_run_by_the_hub() -> None:
    folder = replace(published(), release=None)
    with pytest.raises(SandboxMissingError, match="doctor"):
        list(runner(hub()).score(folder, requests(1)))


def test_an_episode_of_a_folder_wants_a_sandbox_here() -> None:
    with pytest.raises(SandboxMissingError, match="doctor"):
        runner(hub()).session(replace(published(), release=None), {}, seed=0)


def test_the_address_of_an_episode_is_of_the_same_origin_with_its_token() -> None:
    secure = HubConnection("https://hub.example/at", "secret", transport=hub())
    address, headers = secure.socket_address("/api/v1/x")
    assert address == "wss://hub.example/at/api/v1/x"
    assert headers["Authorization"] == "Bearer secret"


def tasks_of(*rows, count=2, cut=""):
    """What is read of a task stream of these lines; ``cut`` is appended as it is."""

    def handler(request):
        assert dict(request.url.params)["limit"] == str(count)
        return httpx.Response(200, text="".join(json.dumps(row) + "\n" for row in rows) + cut)

    return runner(httpx.MockTransport(handler)).tasks(published(), "test", start=2, count=count, seed=1)


TASK = {"id": "a", "prompt": "?", "split": "test"}


def test_generated_tasks_are_the_lines_that_are_tasks() -> None:
    found = tasks_of({"heartbeat": 1}, TASK, {"summary": {"count": 1}})
    assert [(row["id"], row["prompt"], row["split"]) for row in found] == [("a", "?", "test")]


@pytest.mark.parametrize(
    ("rows", "cut", "words"),
    [
        ([TASK], "", "broke off after 1"),
        ([], "", "broke off after 0"),
        ([TASK], '{"id": "b", "pro', "not a JSON object"),
        ([TASK, {"problem": {"title": "Gone", "detail": "the generator failed"}}], "", "the generator failed"),
        ([TASK, {"problem": "odd"}], "", "no reason"),
        ([TASK, {"summary": {"count": 2}}], "", "counts 2"),
        ([TASK, TASK, {"summary": {"count": 2}}], "", "'a' .* twice"),
        ([{**TASK, "id": str(n)} for n in range(3)], "", "more than the 2"),
        ([{"prompt": "?"}, {"summary": {"count": 1}}], "", "no task"),
        ([{**TASK, "id": 7}, {"summary": {"count": 1}}], "", "no task"),
    ],
)
def test_a_task_stream_that_is_not_whole_is_an_error_and_not_a_shorter_data_set(rows, cut, words) -> None:
    with pytest.raises(HubUnreachableError, match=words):
        tasks_of(*rows, cut=cut)


def both(one, count=2):
    yield dict(one.score(published(), requests(count)))
    yield dict(collect(one.score_stream(published(), arriving(requests(count)))))


@pytest.mark.parametrize(
    "verdict",
    [{"rewards": {"correct": 1000}}, {"rewards": {"correct": True}}, {"rewards": {}}, {"rewards": {"other": 1}}, "text",
     {"rewards": {"correct": 1.0}, "error": {"kind": "timeout"}}, {"rewards": {"correct": None}, "error": {"kind": "?"}}],
)  # fmt: skip
def test_a_verdict_against_the_declaration_is_null_and_the_others_stay(verdict) -> None:
    def answer(row):
        return {"id": row["id"], "verdict": verdict} if row["id"] == "0" else judged(row)

    for found in both(runner(hub(answer=answer))):
        assert (found["0"].rewards, found["0"].error.kind) == ({"correct": None}, ErrorKind.HOST)
        assert found["1"].rewards == {"correct": 1.0}


def test_a_line_that_the_hub_refused_is_null_with_its_reason() -> None:
    def answer(row):
        return {"id": row["id"], "line": 1, "problem": {"code": "invalid_request", "detail": "give a response"}}

    for found in both(runner(hub(answer=answer))):
        assert "give a response" in found["0"].error.message


def test_a_reader_who_leaves_stops_the_requests() -> None:
    async def first(one):
        async with aclosing(one.score_stream(published(), endless())) as stream:
            return await anext(stream)

    async def endless():
        number = 0
        while True:
            yield ScoreRequest(id=str(number), task={"answer": 2}, response="2")
            number += 1
            await asyncio.sleep(0)

    assert asyncio.run(first(runner(hub())))[1].rewards == {"correct": 1.0}

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from hub_client.connection import AsyncConnection, Connection
from hub_client.errors import NotFoundError, SandboxMissingError
from hub_client.remote import HubRunner
from hub_client.resolving import LoadedPackage
from schemas.package import Release
from schemas.verdict import ErrorKind, ScoreRequest
from schemas.wheel import read_wheel
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
        Connection(URL, None, transport=transport), lambda: AsyncConnection(URL, None, transport=transport)
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
    found = dict(runner(hub(seen)).score(published(), requests(150)))
    assert {verdict.rewards["correct"] for verdict in found.values()} == {1.0}
    assert (len(found), sum(seen), max(seen)) == (150, 150, 64)


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


def test_what_is_no_json_is_raised_and_does_not_hang() -> None:
    poisoned = [ScoreRequest(id="0", task={"answer": object()}, response="x")]
    with pytest.raises(Exception, match="serialize"):
        collect(runner(hub()).score_stream(published(), arriving(poisoned)))


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
    secure = Connection("https://hub.example/at", "secret", transport=hub())
    address, headers = secure.socket_address("/api/v1/x")
    assert address == "wss://hub.example/at/api/v1/x"
    assert headers["Authorization"] == "Bearer secret"


def test_generated_tasks_are_the_lines_that_are_tasks() -> None:
    def handler(request):
        assert dict(request.url.params) == {"split": "test", "start": "2", "limit": "2", "seed": "1", "answers": "true"}
        rows = [{"id": "a", "prompt": "?"}, {"summary": {"count": 1}}]
        return httpx.Response(200, text="\n".join(map(json.dumps, rows)))

    found = runner(httpx.MockTransport(handler)).tasks(published(), "test", start=2, count=2, seed=1)
    assert found == [{"id": "a", "prompt": "?"}]

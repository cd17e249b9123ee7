"""Streams against a client that sends anything, sends nothing, or does not read."""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_server.settings import ExecutionSettings, ServerSettings
from hub_server.web.streams import BodyLines, LineSplitter
from schemas.verdict import Verdict
from tests.fakes.executor import FakeExecutor, Judged
from tests.making.hub import Api, lines_of, make_package

RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=8), st.integers(1, 50))
def test_lines_do_not_depend_on_where_a_body_is_cut(body: bytes, cuts: list[int], limit: int) -> None:
    splitter = LineSplitter(limit)
    edges = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    lines = [line for a, b in itertools.pairwise(edges) for line in splitter.take(body[a:b])]
    lines += splitter.rest()
    assert lines == [line[: limit + 1] for line in body.split(b"\n") if line[: limit + 1].strip()]


def test_a_body_without_newlines_is_never_held_nor_walked_again() -> None:
    splitter = LineSplitter(100)
    for _ in range(10_000):
        assert splitter.take(b"x" * 1000) == []
        assert len(splitter._open) <= 101
    assert splitter.take(b"\nnext\n") == [b"x" * 101, b"next"]


def test_a_line_beyond_the_limit_is_refused_in_words_and_the_next_one_judged(
    alice: Api, settings: ServerSettings
) -> None:
    alice.publish(make_package())
    limit = settings.limits.score_line_bytes
    good = json.dumps({"id": "good", "task_id": "t1", "response": "2"})
    body = b'{"id": "long", "response": "' + b"x" * limit + b'"}\n' + good.encode()
    lines = lines_of(alice.post(f"{RELEASE}/score", content=body))
    refused = next(line for line in lines if "problem" in line)
    assert (refused["line"], refused["problem"]["code"]) == (1, "too_large")
    assert next(line for line in lines if "verdict" in line)["id"] == "good"
    assert lines[-1]["summary"] == {"received": 2, "judged": 1, "unjudged": 0, "refused": 1}


def read(messages: list[dict[str, Any]], idle_seconds: float) -> tuple[list[bytes], str]:
    """What is read of a body that comes in as ``messages`` and then stops coming."""

    async def receive() -> dict[str, Any]:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop(0)

    async def main() -> tuple[list[bytes], str]:
        body = BodyLines(1000, idle_seconds)
        lines: list[bytes] = []

        async def take() -> str:
            try:
                async for together in body:
                    lines.extend(together)
            except Exception as error:  # noqa: BLE001 -- what it was is the question
                return str(error)
            return ""

        reading = asyncio.create_task(take())
        await body.fill(receive)
        said = await reading
        body.discard()
        return lines, said

    return asyncio.run(main())


def test_a_client_that_sends_nothing_more_is_told_so() -> None:
    lines, said = read([{"type": "http.request", "body": b"one\ntwo", "more_body": True}], idle_seconds=0.01)
    assert lines == [b"one"]
    assert "Nothing came in" in said


def test_a_body_ends_when_its_sender_is_gone() -> None:
    messages = [{"type": "http.request", "body": b"one\n", "more_body": True}, {"type": "http.disconnect"}]
    assert read(messages, idle_seconds=60) == ([b"one"], "")


def test_a_body_that_is_not_read_waits_instead_of_filling_the_memory() -> None:
    chunk, sent = (b"x" * 999 + b"\n") * 1000, 0

    async def receive() -> dict[str, Any]:
        nonlocal sent
        sent += len(chunk)
        return {"type": "http.request", "body": chunk, "more_body": True}

    async def main() -> None:
        body = BodyLines(1000, 60)
        filling = asyncio.create_task(body.fill(receive))
        for _ in range(1000):
            await asyncio.sleep(0)
        assert 2**24 <= sent < 2**24 + 2 * len(chunk)
        filling.cancel()
        await asyncio.gather(filling, return_exceptions=True)
        body.discard()

    asyncio.run(main())


async def never_read(app: Any, settings: ExecutionSettings) -> list[dict[str, Any]]:
    """Ask for tasks and take the head of the answer only."""
    path = f"{RELEASE}/tasks"
    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": [],
        "client": ("203.0.113.9", 1), "server": ("hub.test", 80), "scheme": "http", "http_version": "1.1",
    }  # fmt: skip
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()  # its buffer is full
        sent.append(message)

    await app(scope, receive, send)
    return sent


@pytest.mark.parametrize("slow_reader_seconds", [0.01])
def test_a_client_that_reads_nothing_is_cut_off_and_its_slot_is_free_again(
    alice: Api, settings: ServerSettings, slow_reader_seconds: float
) -> None:
    alice.publish(make_package())
    changed = ExecutionSettings(slow_reader_seconds=slow_reader_seconds, wait_seconds=0)
    services = alice.app.state.services
    object.__setattr__(services, "settings", settings.model_copy(update={"execution": changed}))

    async def main() -> None:
        for _ in range(changed.streams.anonymous_each + 1):
            sent = await never_read(alice.app, changed)
            assert sent[0]["status"] == 200

    asyncio.run(main())


def test_a_scoring_stream_that_waits_for_its_client_or_a_verdict_holds_no_thread(
    alice: Api, executor: FakeExecutor
) -> None:
    """With a thread each, as many slow streams as there are threads would stop all others."""
    alice.publish(make_package())
    line = json.dumps({"id": "1", "task_id": "t1", "response": "2"}).encode() + b"\n"
    path, waits = f"{RELEASE}/score", 3

    async def main() -> int:
        judging, may_judge, ended = asyncio.Barrier(waits + 1), asyncio.Event(), asyncio.Event()

        async def judge_when_told(_release: object, calls: Any, **_more: object) -> AsyncGenerator[list[Judged]]:
            async for call in calls:
                await judging.wait()
                await may_judge.wait()
                yield [Judged(call.id, Verdict(rewards={"correct": 1.0}))]

        executor.score_lists = judge_when_told  # type: ignore[method-assign]
        streams = [asyncio.create_task(ask(alice.app, path, line, number, ended)) for number in range(waits)]
        await judging.wait()
        borrowed = alice.app.state.admissions.get().streams._threads.borrowed_tokens
        may_judge.set()
        ended.set()
        for sent in await asyncio.gather(*streams):
            assert b'"correct":1.0' in b"".join(message.get("body", b"") for message in sent)
        return borrowed

    assert asyncio.run(main()) == 0


async def ask(app: Any, path: str, body: bytes, number: int, ended: asyncio.Event) -> list[dict[str, Any]]:
    """One request whose body goes on until ``ended``."""
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": [],
        "client": (f"203.0.113.{number}", 1), "server": ("hub.test", 80), "scheme": "http", "http_version": "1.1",
    }  # fmt: skip
    sent: list[dict[str, Any]] = []
    parts = [
        {"type": "http.request", "body": b"", "more_body": False},
        {"type": "http.request", "body": body, "more_body": True},
    ]

    async def receive() -> dict[str, Any]:
        if len(parts) < 2:
            await ended.wait()
        if not parts:
            await asyncio.Event().wait()  # it stays to read the answer
        return parts.pop()

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent

"""Scoring over a real socket: verdicts come back while the body is still coming in, and stop when nobody reads."""

import json
import socket
import threading
from collections.abc import AsyncGenerator, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.fakes.executor import FakeExecutor, Judged, exact_match
from tests.making.hub import Api, make_package
from tests.making.listening_app import Served

PATH = "/api/v1/packages/alice/small-sums/releases/1.0.0/score"


class Conversation:
    """HTTP/1.1 by hand: a chunked body of which we decide when each piece is sent."""

    def __init__(self, served: Served) -> None:
        parts = urlsplit(served.url)
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60)
        head = f"POST {PATH} HTTP/1.1\r\nHost: {parts.netloc}\r\nTransfer-Encoding: chunked\r\n\r\n"
        self._socket.sendall(head.encode())
        self._file = self._socket.makefile("rb")

    def send(self, identifier: str, response: str) -> None:
        line = json.dumps({"id": identifier, "task_id": "t1", "response": response}).encode() + b"\n"
        self._socket.sendall(f"{len(line):x}\r\n".encode() + line + b"\r\n")

    def end(self) -> None:
        self._socket.sendall(b"0\r\n\r\n")

    def read_head(self) -> bytes:
        status = self._file.readline()
        while self._file.readline().strip():
            pass
        return status

    def read_line(self) -> dict[str, Any]:
        size = int(self._file.readline(), 16)
        data = self._file.read(size)
        self._file.readline()
        return json.loads(data)

    def hang_up(self) -> None:
        self._file.close()
        self._socket.close()


@pytest.fixture
def conversation(alice: Api, served: Served) -> Iterator[Conversation]:
    alice.publish(make_package())
    made = Conversation(served)
    yield made
    made.hang_up()


def test_a_verdict_arrives_before_the_next_response_is_sent(conversation: Conversation) -> None:
    conversation.send("first", "2")
    assert b"200" in conversation.read_head()
    assert conversation.read_line()["verdict"]["rewards"] == {"correct": 1.0}
    conversation.send("second", "3")
    assert conversation.read_line()["verdict"]["rewards"] == {"correct": 0.0}
    conversation.end()
    assert conversation.read_line() == {"summary": {"received": 2, "judged": 2, "unjudged": 0, "refused": 0}}


def test_a_client_that_goes_away_ends_the_work(conversation: Conversation, executor: FakeExecutor) -> None:
    ended = threading.Event()

    async def score(_release: object, calls: Any, **_more: object) -> AsyncGenerator[list[Judged]]:
        try:
            async for call in calls:
                yield [Judged(call.id, exact_match("", call.task, call.response))]
        finally:
            ended.set()

    executor.score_lists = score  # type: ignore[method-assign]
    conversation.send("first", "2")
    conversation.read_head()
    conversation.read_line()
    conversation.hang_up()
    assert ended.wait(60)


def test_a_client_that_sends_everything_before_it_reads_does_not_hang(conversation: Conversation) -> None:
    count = 3000
    for number in range(count):
        conversation.send(str(number), "2" * 500)
    conversation.end()
    conversation.read_head()
    lines = [conversation.read_line() for _ in range(count + 1)]
    assert lines[-1]["summary"]["judged"] == count

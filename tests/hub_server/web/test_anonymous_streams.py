"""What a stream without an account may take of the slots that all such streams share. The loop's clock is handed in."""

import asyncio
import json
from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import pytest

from hub_server.settings import ExecutionSettings, ServerSettings
from hub_server.web.admission import Admission, Admissions
from hub_server.web.senders import Sender
from hub_server.web.streams import BodyLines, LinesResponse
from tests.hub_server.web.test_streams import RELEASE, ask
from tests.making.hub import Api, make_package
from tests.sandbox.clocks import run_without_waiting

SETTINGS = ExecutionSettings()
ANONYMOUS, ACCOUNT = Sender("address:203.0.113.9", is_account=False), Sender("account:1", is_account=True)


async def a_line_every(
    seconds: float, sender: Sender, most_lines: int, *, is_slow_reader: bool = False
) -> tuple[str, float]:
    """A stream that has a line to send now and then: what its client got, and when that ended."""
    admissions = Admissions.of(SETTINGS)

    async def make(_streams: Admission) -> AsyncGenerator[bytes]:
        for number in range(most_lines):
            if seconds:
                await asyncio.sleep(seconds)
            yield b"%d\n" % number

    got = bytearray()

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        if is_slow_reader:
            await asyncio.sleep(1)
        got.extend(message.get("body", b""))

    app = SimpleNamespace(state=SimpleNamespace(admissions=SimpleNamespace(get=lambda: admissions)))
    scope = {"type": "http", "headers": [], "app": app, "state": {"sender": sender}}
    await LinesResponse(make, SETTINGS)(scope, receive, send)
    assert admissions.streams._anonymous.borrowed_tokens == 0
    assert admissions.streams._total.borrowed_tokens == 0
    return got.decode(), asyncio.get_running_loop().time()


def test_an_anonymous_stream_ends_in_words_when_its_time_is_over() -> None:
    said, ended_at = run_without_waiting(a_line_every(9, ANONYMOUS, 1000))
    *lines, last = said.splitlines()
    assert lines == [str(number) for number in range(66)]
    problem = json.loads(last)["problem"]
    assert problem["code"] == "invalid_request"
    assert "Without an account a stream may take 600 s" in problem["detail"]
    assert ended_at == 600


def test_time_counts_too_where_only_the_reader_is_slow() -> None:
    said, ended_at = run_without_waiting(a_line_every(0, ANONYMOUS, 10_000, is_slow_reader=True))
    assert "Without an account" in said.splitlines()[-1]
    assert 600 <= ended_at <= 603


def test_a_stream_of_an_account_has_no_such_end() -> None:
    said, ended_at = run_without_waiting(a_line_every(9, ACCOUNT, 1000))
    assert said.splitlines() == [str(number) for number in range(1000)]
    assert ended_at == 9000


async def silent(answers_at: float | None, idle_seconds: float, answer_seconds: float) -> tuple[str, float]:
    """A client that sends one line and no more; the line is answered then. What it is told, and when."""
    messages = [{"type": "http.request", "body": b"one\n", "more_body": True}]
    body = BodyLines(1000, idle_seconds, answer_seconds)

    async def receive() -> dict[str, Any]:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop(0)

    async def answer() -> None:  # in a task, as the route is: the lowest anyio knows no time outside of one
        if answers_at is not None:
            await asyncio.sleep(answers_at)
            body.answered(1)

    answering = asyncio.ensure_future(answer())
    await body.fill(receive)
    await answering
    with pytest.raises(Exception, match="Nothing came in") as told:
        async for _ in body:
            pass
    return str(told.value), asyncio.get_running_loop().time()


@pytest.mark.parametrize(
    ("answers_at", "ends_at"),
    [(0, 30), (100, 130), (29, 59), (None, 600), (590, 600)],
    ids=["at once", "late", "just in time", "never", "near the longest"],
)
def test_a_client_that_waits_for_a_verdict_is_not_idle(answers_at: float | None, ends_at: float) -> None:
    words, ended_at = run_without_waiting(silent(answers_at, 30, 600))
    assert ended_at == pytest.approx(ends_at)
    assert "With an account it may be silent for 600 s" in words


def test_a_stream_of_an_account_is_silent_for_as_long_as_before() -> None:
    words, ended_at = run_without_waiting(silent(0, 600, 600))
    assert ended_at == 600
    assert "account" not in words


def test_the_route_gives_a_client_without_an_account_less_time(alice: Api, settings: ServerSettings) -> None:
    alice.publish(make_package())
    changed = ExecutionSettings(anonymous_idle_seconds=0.01, idle_seconds=0.02)
    services = alice.app.state.services
    object.__setattr__(services, "settings", settings.model_copy(update={"execution": changed}))
    line = json.dumps({"id": "1", "task_id": "t1", "response": "2"}).encode() + b"\n"

    async def main() -> str:
        sent = await ask(alice.app, f"{RELEASE}/score", line, 1, asyncio.Event())
        return b"".join(message.get("body", b"") for message in sent).decode()

    last = json.loads(asyncio.run(main()).splitlines()[-1])
    assert "With an account it may be silent for 0.02 s" in last["problem"]["detail"]

"""A busy hub: what may be repeated is repeated a few times, with the pauses the hub asks for; nothing else is."""

import asyncio
from datetime import UTC, datetime

import httpx
import pytest

from hub_client.errors import HubUnreachableError, PolicyError
from hub_client.transport.connection import AsyncConnection, HubConnection
from hub_client.transport.requests import accounts, audits, packages, runs
from hub_client.transport.retries import TRIES, Retries, retry_after_seconds
from schemas.account import TokenCreate
from schemas.run import MetricPoint, RunCreate, RunUpdate

URL = "http://hub.example"
NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)
EMPTY_PAGE = httpx.Response(200, json={"items": [], "next": None})


def busy(after="7", status=503, code="busy"):
    headers = {} if after is None else {"Retry-After": after}
    body = {"title": "Busy", "status": status, "code": code, "detail": "All slots are taken."}
    return httpx.Response(status, json=body, headers=headers)


class Hub:
    """Answers in this order, the last one for ever; counts requests and pauses."""

    def __init__(self, *answers):
        self.answers, self.asked, self.pauses = list(answers), [], []

    def __call__(self, request):
        self.asked.append(request.read())
        chosen = self.answers[min(len(self.asked), len(self.answers)) - 1]
        return httpx.Response(chosen.status_code, content=chosen.content, headers=chosen.headers)

    def send(self, call, **more):
        return HubConnection(URL, "secret", transport=httpx.MockTransport(self), sleep=self.pauses.append, **more).send(
            call
        )

    def send_async(self, call):
        async def sleep(seconds):
            self.pauses.append(seconds)

        async def work():
            connection = AsyncConnection(URL, "secret", transport=httpx.MockTransport(self), sleep=sleep)
            try:
                return await connection.send(call)
            finally:
                await connection.aclose()

        return asyncio.run(work())


BOTH = pytest.mark.parametrize("send", [Hub.send, Hub.send_async])


@BOTH
@pytest.mark.parametrize("refusal", [busy("7"), busy("7", 429, "too_many_requests")])
def test_a_read_is_sent_again_after_the_pause_that_the_hub_asks_for(send, refusal) -> None:
    hub = Hub(refusal, refusal, EMPTY_PAGE)
    assert send(hub, packages.search("x")).items == []
    assert (len(hub.asked), hub.pauses) == (3, [7, 7])


@BOTH
def test_it_gives_up_after_a_few_tries_and_says_how_often_it_asked(send) -> None:
    hub = Hub(busy("2"))
    with pytest.raises(HubUnreachableError, match=rf"(?s)All slots are taken.*sent {TRIES} times, 6 s of pauses"):
        send(hub, packages.search("x"))
    assert (len(hub.asked), hub.pauses) == (TRIES, [2] * (TRIES - 1))


def test_a_pause_longer_than_the_timeout_is_not_waited_for() -> None:
    hub = Hub(busy("3600", 429, "too_many_requests"))
    with pytest.raises(PolicyError, match=r"pause of 3600 s, which is not waited for.*VERIHUB_TIMEOUT_SECONDS"):
        hub.send(packages.search("x"))
    assert (len(hub.asked), hub.pauses) == (1, [])


def test_all_pauses_of_a_request_together_are_bounded_by_the_timeout() -> None:
    hub = Hub(busy("4"))
    with pytest.raises(HubUnreachableError, match="not waited for"):
        hub.send(packages.search("x"), timeout_seconds=10)
    assert hub.pauses == [4, 4]


@pytest.mark.parametrize("status", [400, 404, 409, 413, 500, 502, 504])
def test_other_refusals_are_not_repeated_whatever_they_say(status) -> None:
    hub = Hub(busy("1", status, "internal"))
    with pytest.raises(Exception, match="All slots"):
        hub.send(packages.search("x"))
    assert hub.pauses == []


@pytest.mark.parametrize("after", [None, "", "soon", "-1", "1e9", "NaN", "inf", "9" * 400, "1.5"])
def test_a_busy_hub_that_names_no_pause_is_not_asked_again(after) -> None:
    hub = Hub(busy(after))
    with pytest.raises(HubUnreachableError, match=r"taken\.$"):
        hub.send(packages.search("x"))
    assert len(hub.asked) == 1


def test_a_pause_of_zero_is_no_tight_loop() -> None:
    hub = Hub(busy("0"), EMPTY_PAGE)
    hub.send(packages.search("x"))
    assert hub.pauses == [pytest.approx(0.1)]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0), (" 12 ", 12), ("Sun, 22 Nov 2026 12:00:30 GMT", 30), ("Sun, 22 Nov 2026 11:00:00 GMT", 0),
        ("Sun, 99 Nov 2026 12:00:30 GMT", None), ("٣", None),
    ],
)  # fmt: skip
def test_a_pause_is_whole_seconds_or_a_date(text, seconds) -> None:
    assert retry_after_seconds(text, NOW) == seconds


@pytest.mark.parametrize(
    "call",
    [
        packages.publish(b"wheel", "sha256:0"),
        runs.log_metrics("r", [MetricPoint(step=1, values={"loss": 1.0})]),
        runs.log_rollouts("r", []),
        runs.update_run("r", RunUpdate()),
        accounts.revoke_token("t"),
    ],
)
def test_writes_that_are_harmless_twice_are_repeated_with_the_same_bytes(call) -> None:
    hub = Hub(busy("1"), httpx.Response(400, json={}))
    with pytest.raises(Exception, match="400"):
        hub.send(call)
    assert hub.asked == [call.content or b""] * 2


@pytest.mark.parametrize(
    "call",
    [
        runs.create_run(RunCreate(name="r")),
        audits.start_audit("alice/x", "1.0.0"),
        accounts.create_token(TokenCreate(name="t", scopes=[])),
    ],
)
def test_writes_that_would_be_done_twice_are_sent_once_and_the_message_says_so(call) -> None:
    hub = Hub(busy("1"))
    with pytest.raises(HubUnreachableError, match="not repeated automatically"):
        hub.send(call)
    assert len(hub.asked) == 1


def test_a_stream_of_verdicts_that_is_refused_at_its_head_is_asked_for_again_with_its_body() -> None:
    hub = Hub(busy("3"), httpx.Response(200, text='{"id": "a"}\n'))
    connection = HubConnection(URL, None, transport=httpx.MockTransport(hub), sleep=hub.pauses.append)
    with connection.lines("POST", "/score", content=b"pairs") as lines:
        assert [line["id"] for line in lines] == ["a"]
    assert (hub.asked, hub.pauses) == ([b"pairs", b"pairs"], [3])


def test_a_request_that_waits_keeps_its_slot_so_that_a_busy_hub_gets_no_more_requests_than_before() -> None:
    hub, nested = Hub(busy("1"), EMPTY_PAGE), []

    def look_while_waiting(_seconds):
        nested.append(connection._slots.acquire(blocking=False))

    connection = HubConnection(URL, None, connections=1, transport=httpx.MockTransport(hub), sleep=look_while_waiting)
    connection.send(packages.search("x"))
    assert nested == [False]


def test_pauses_are_counted_for_each_request_alone() -> None:
    first, second = (Retries(10, is_repeatable=True) for _ in range(2))
    headers = httpx.Headers({"Retry-After": "8"})
    assert first.pause_after(503, headers)[0] == second.pause_after(503, headers)[0] == 8

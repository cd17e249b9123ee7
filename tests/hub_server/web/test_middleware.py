"""Around every request: an id that nobody can abuse, headers that protect browsers, and words for bugs that tell nothing."""

import logging

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from hub_server.web.metrics import RequestMetrics
from hub_server.web.middleware import LastResort, RequestIds
from tests.making.asgi import ask


def surrounded(app):
    return RequestIds(LastResort(app), RequestMetrics())


OK = surrounded(PlainTextResponse("ok"))


def test_a_sound_id_of_the_caller_is_kept_and_another_one_replaced() -> None:
    assert ask(OK, headers={"X-Request-Id": "abc-12345"}).headers["x-request-id"] == "abc-12345"


@pytest.mark.parametrize(
    "given", ["", "short", "x" * 65, "has space 1", "new\nline-12345", "ümlaut-12345", "<script>alert(1)"]
)
def test_an_id_that_could_forge_a_log_line_or_a_page_is_not_taken(given) -> None:
    found = ask(OK, headers={"X-Request-Id": given}).headers["x-request-id"]
    assert found != given
    assert len(found) == 16


def test_two_requests_without_an_id_get_two() -> None:
    assert ask(OK).headers["x-request-id"] != ask(OK).headers["x-request-id"]


def test_a_bug_is_a_500_with_an_id_that_the_log_has_and_no_inner_word(caplog) -> None:
    async def broken(_scope, _receive, _send):
        raise RuntimeError("password=hunter2")

    with caplog.at_level(logging.ERROR):
        sent = ask(surrounded(broken), "/api/v1/x")
    assert sent.status == 500
    assert b"hunter2" not in sent.body
    assert sent.headers["x-request-id"] in caplog.text
    assert sent.headers["x-request-id"].encode() in sent.body


def test_an_answer_that_breaks_in_the_middle_is_cut_off_and_not_finished_with_other_words() -> None:
    async def broken(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("lost")

    with pytest.raises(RuntimeError, match="lost"):
        ask(surrounded(broken))


def test_what_is_no_request_passes_untouched() -> None:
    seen = []

    async def app(scope, _receive, _send):
        seen.append((scope["type"], scope["state"]))

    ask(surrounded(app), kind="lifespan")
    assert seen == [("lifespan", {"request_id": "request-1"})]


def test_a_sender_that_hangs_up_is_no_bug_and_is_counted_as_such(caplog) -> None:
    """Before, a cut upload wrote a traceback into the log and counted as a fault of the hub."""

    async def read_all(scope, receive, send):
        await Request(scope, receive).body()

    metrics = RequestMetrics()
    with caplog.at_level(logging.INFO):
        sent = ask(RequestIds(LastResort(read_all), metrics), "/upload", method="POST", body=[b"half"], hangs_up=True)
    assert sent.messages == []
    said = [record for record in caplog.records if record.name.startswith("hub_server")]
    assert [record for record in said if record.levelno >= logging.WARNING] == []
    assert 'status="499"} 1.0' in metrics.text()

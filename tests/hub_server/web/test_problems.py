"""Refusals: JSON for programs, a page for people, `Retry-After` and `WWW-Authenticate` where they belong, no inner words."""

import json

import pytest
from fastapi import FastAPI
from pydantic import BaseModel
from sqlalchemy.exc import DataError, OperationalError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from hub_server.errors import BusyError, NotAuthenticatedError, NotFoundError, TooManyRequestsError
from hub_server.web.problems import MEDIA_TYPE, install_problem_handlers
from tests.making.asgi import ask


class Body(BaseModel):
    number: int


def failing(error: Exception, path: str = "/api/v1/x") -> FastAPI:
    app = FastAPI()
    install_problem_handlers(app)

    @app.get(path)
    def fail():
        raise error

    @app.post(path)
    def take(body: Body):
        return body

    return app


def problem(sent):
    assert sent.headers["content-type"] == MEDIA_TYPE
    assert sent.headers["cache-control"] == "no-store"
    return json.loads(sent.body)


def test_a_refusal_of_ours_has_code_status_words_and_the_requests_id() -> None:
    sent = ask(failing(NotFoundError("There is no x.")), "/api/v1/x")
    said = problem(sent)
    assert (sent.status, said["status"], said["code"], said["detail"]) == (404, 404, "page_not_found", "There is no x.")
    assert said["type"] == "/docs/errors#page_not_found"
    assert said["instance"] == "request-1"


@pytest.mark.parametrize(
    ("error", "after"),
    [
        (TooManyRequestsError("slow", retry_after_seconds=12.4), "12"),
        (BusyError("busy", retry_after_seconds=0.01), "1"),
        (NotFoundError("none"), None),
    ],
)
def test_who_may_come_again_is_told_when_in_whole_seconds_and_never_at_once(error, after) -> None:
    assert ask(failing(error), "/api/v1/x").headers.get("retry-after") == after


def test_who_is_not_logged_in_is_told_how_to_send_a_token() -> None:
    assert "Bearer" in ask(failing(NotAuthenticatedError("who?")), "/api/v1/x").headers["www-authenticate"]


def test_a_database_that_fails_is_unavailable_and_its_words_stay_here() -> None:
    sent = ask(failing(OperationalError("SELECT secret", {}, Exception("host=10.0.0.1"))), "/api/v1/x")
    assert sent.status == 503
    assert b"SELECT" not in sent.body
    assert b"10.0.0.1" not in sent.body


def test_an_invalid_body_names_each_fault_by_its_place() -> None:
    sent = ask(
        failing(NotFoundError("")), "/api/v1/x", method="POST", headers={"content-type": "application/json"},
        body=[b'{"number": "many"}'],
    )  # fmt: skip
    said = problem(sent)
    assert (sent.status, said["errors"][0]["pointer"]) == (422, "/body/number")


@pytest.mark.parametrize(
    ("kind", "is_told"),
    [("application/x-www-form-urlencoded", True), ("text/plain", True), ("application/json", False)],
)
def test_a_body_that_is_sent_as_something_else_is_asked_for_as_json(kind: str, is_told: bool) -> None:
    """`curl -d` read "Input should be a valid dictionary or object to extract fields from"."""
    sent = ask(
        failing(NotFoundError("")), "/api/v1/x", method="POST", headers={"content-type": kind}, body=[b"number"],
    )  # fmt: skip
    assert (sent.status, "Content-Type: application/json" in problem(sent)["detail"]) == (422, is_told)


@pytest.mark.parametrize(("path", "method", "status", "words"), [
    ("/api/v1/none", "GET", 404, "Nothing is at /api/v1/none. /docs/api lists"), ("/api/v1/x", "DELETE", 405, "DELETE is not possible"),
])  # fmt: skip
def test_a_wrong_path_or_method_is_said_in_words(path, method, status, words) -> None:
    sent = ask(failing(NotFoundError("")), path, method=method)
    assert (sent.status, words in problem(sent)["detail"]) == (status, True)


def test_headers_of_an_http_error_are_kept() -> None:
    error = HTTPException(413, "too long", headers={"Connection": "close"})
    assert ask(failing(error), "/api/v1/x").headers["connection"] == "close"


@pytest.mark.parametrize(
    ("path", "accept", "is_page"),
    [("/x", "text/html,*/*", True), ("/x", "*/*", False), ("/x", "", False), ("/api/v1/x", "text/html", False)],
)
def test_a_person_gets_a_page_and_a_program_json(path, accept, is_page) -> None:
    app = failing(TooManyRequestsError("slow", retry_after_seconds=5), path)
    app.state.render_problem = lambda _request, said: HTMLResponse(f"<p>{said.detail}</p>", said.status)
    sent = ask(app, path, headers={"accept": accept})
    assert (sent.body == b"<p>slow</p>") is is_page
    assert (sent.status, sent.headers["retry-after"]) == (429, "5")


def test_a_value_that_no_column_takes_is_the_senders_mistake(caplog) -> None:
    """PostgreSQL refuses NUL in texts and numbers beyond its integers."""
    sent = ask(failing(DataError("SELECT", {"q": "secret"}, ValueError("NUL"), hide_parameters=True)), "/api/v1/x")
    assert (sent.status, problem(sent)["code"]) == (422, "invalid_request")
    assert "secret" not in sent.body.decode() + caplog.text

"""The shape of every refusal: RFC 9457 for programs, a page for people."""

import json
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, OperationalError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from hub_server.errors import (
    BusyError,
    ExecutionUnavailableError,
    HubServerError,
    InvalidRequestError,
    StorageUnavailableError,
    TooManyRequestsError,
)
from schemas.problem import Problem, ProblemCode, ProblemPart

MEDIA_TYPE = "application/problem+json"
_log = logging.getLogger("hub_server")
_CODES_BY_STATUS = {
    401: ProblemCode.NOT_AUTHENTICATED,
    403: ProblemCode.NOT_ALLOWED,
    404: ProblemCode.PAGE_NOT_FOUND,
    413: ProblemCode.TOO_LARGE,
    429: ProblemCode.TOO_MANY_REQUESTS,
    500: ProblemCode.INTERNAL,
}


def install_problem_handlers(app: FastAPI) -> None:
    """Map every exception that may reach the edge. What is left over is a bug (``middleware.LastResort``)."""
    app.add_exception_handler(HubServerError, _refuse_ours)
    app.add_exception_handler(RequestValidationError, _refuse_invalid)
    app.add_exception_handler(HTTPException, _refuse_http)
    app.add_exception_handler(OperationalError, _refuse_database)
    app.add_exception_handler(DataError, _refuse_value)
    app.add_exception_handler(UnicodeEncodeError, _refuse_value)


async def _refuse_ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, HubServerError)
    near = await run_in_threadpool(error.near) if error.near is not None else []
    return refuse(request, error, near)


def refuse(request: Request, error: HubServerError, near: Sequence[str] = ()) -> Response:
    """The answer to a request that the hub refuses. ``near``: names that may have been meant."""
    problem = problem_of(error, request_id(request))
    if near:
        detail = f"{problem.detail} Did you mean {', '.join(near)}?"
        problem = problem.model_copy(update={"detail": detail, "near": list(near)})
    headers = {}
    if error.moved is not None and request.method in {"GET", "HEAD"}:
        problem = problem.model_copy(update={"status": HTTPStatus.TEMPORARY_REDIRECT.value})
        headers["Location"] = _moved(request, *error.moved)
    if isinstance(error, TooManyRequestsError | BusyError | ExecutionUnavailableError) and error.retry_after_seconds:
        headers["Retry-After"] = str(max(1, round(error.retry_after_seconds)))
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="verihub"'
    return problem_response(request, problem, headers)


def problem_of(error: HubServerError, instance: str = "") -> Problem:
    """A refusal as programs and pages get it. ``instance``: the id of the request that it answers as a whole."""
    return Problem(
        type=_type_of(error.code),
        title=error.title,
        status=error.status,
        code=error.code.value,
        detail=error.detail,
        instance=instance,
        errors=error.errors,
    )


def _moved(request: Request, asked: str, meant: str) -> str:
    """The address with another package's name in it, also as pip writes names. Not for ever: the old may be taken."""
    path = request.url.path
    for one, other in ((asked, meant), (asked.replace("/", "-"), meant.replace("/", "-"))):
        if f"/{one}" in path:
            path = path.replace(f"/{one}", f"/{other}", 1)
            break
    return path + (f"?{request.url.query}" if request.url.query else "")


async def _refuse_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    parts = [
        ProblemPart(pointer="/" + "/".join(str(step) for step in item["loc"]), message=str(item["msg"]))
        for item in error.errors()
    ]
    if not _says_json(request) and any(part.pointer == "/body" for part in parts):
        parts = [
            ProblemPart(pointer="/body", message="send JSON, with the header Content-Type: application/json"),
            *parts,
        ]
    problem = Problem(
        type=_type_of(ProblemCode.INVALID_REQUEST),
        title="The request is not valid",
        status=422,
        code=ProblemCode.INVALID_REQUEST.value,
        detail="; ".join(f"{part.pointer}: {part.message}" for part in parts[:5]),
        instance=request_id(request),
        errors=parts[:50],
    )
    return problem_response(request, problem)


def _says_json(request: Request) -> bool:
    return "json" in request.headers.get("content-type", "application/json").lower()


async def _refuse_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _CODES_BY_STATUS.get(error.status_code, ProblemCode.INVALID_REQUEST)
    detail = error.detail
    if error.status_code == HTTPStatus.NOT_FOUND and detail == "Not Found":
        more = " /docs/api lists what there is." if request.url.path.startswith("/api/") else ""
        detail = f"Nothing is at {request.url.path}.{more}"
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        detail = f"{request.method} is not possible at {request.url.path}."
    problem = Problem(
        type=_type_of(code),
        title=HTTPStatus(error.status_code).phrase,
        status=error.status_code,
        code=code.value,
        detail=detail,
        instance=request_id(request),
    )
    return problem_response(request, problem, dict(error.headers or {}))


async def _refuse_database(request: Request, error: Exception) -> Response:
    """Refuse for now: a full disk, a held lock or a lost database server. The same request may succeed later."""
    _log.error("database refused request %s: %s", request_id(request), error)
    return await _refuse_ours(request, StorageUnavailableError("The database cannot take this now: try again soon."))


async def _refuse_value(request: Request, error: Exception) -> Response:
    """Refuse a value that no column can store: a text with NUL or half of a surrogate pair, or too large a number."""
    _log.warning("request %s held a value that the database does not take: %s", request_id(request), error)
    return await _refuse_ours(
        request,
        InvalidRequestError(
            "The request holds a value that cannot be stored, such as a NUL character or half of a surrogate pair."
        ),
    )


def _type_of(code: ProblemCode) -> str:
    return f"/docs/errors#{code.value}"


def request_id(request: Request) -> str:
    """The id that logs, the answer's header and ``instance`` share."""
    return str(request.scope.get("state", {}).get("request_id", ""))


def problem_response(request: Request, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The problem as JSON, or as a page where a person asked for one."""
    if wants_page(request):
        render: Any = getattr(request.app.state, "render_problem", None)
        if render is not None:
            page: Response = render(request, problem)
            page.headers.update(headers or {})
            return page
    return json_problem(problem, headers)


def json_problem(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The problem for a program."""
    body = json.dumps(problem.model_dump(mode="json"), separators=(",", ":"), ensure_ascii=False)
    answer = Response(body, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def wants_page(request: Request) -> bool:
    """Whether a person's browser asked for a page."""
    is_api = request.url.path.startswith(("/api/", "/simple", "/.well-known/", "/feeds/"))
    return not is_api and "text/html" in request.headers.get("accept", "")

"""Tasks and verdicts over HTTP, as streams of JSON lines."""

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response, WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from hub_server.errors import HubServerError
from hub_server.execution import actions
from hub_server.execution.rules import RefusedLine, read_score_line
from hub_server.ports.executor import ExecutableRelease
from hub_server.web.dependencies import CredentialsDep, PartsDep, ReadWork, authenticated
from hub_server.web.describing import NDJSON, PROBLEMS
from hub_server.web.streams import BodyLines, Line, LinesResponse
from hub_server.work import Work
from schemas.manifest import Isolation
from schemas.problem import ProblemCode
from schemas.session import SessionAnswer, SessionRequest
from schemas.verdict import ScoreRequest, Verdict

router = APIRouter(prefix="/api/v1", tags=["execution"], responses=PROBLEMS)


@router.get("/packages/{owner}/{name}/releases/{version}/tasks", responses=NDJSON, summary="Tasks as JSON lines")
def stream_tasks(  # noqa: PLR0913, PLR0917 -- one parameter a query parameter
    owner: str,
    name: str,
    version: str,
    parts: PartsDep,
    work: ReadWork,
    split: str = "train",
    start: Annotated[int, Query(ge=0, description="Where to go on after a break.")] = 0,
    limit: Annotated[
        int | None, Query(ge=1, description="Absent: a file split to its end; 100 generated tasks.")
    ] = None,
    seed: int = 0,
    answers: Annotated[bool, Query(description="With answer and info; needs an account.")] = False,
) -> Response:
    stream = actions.task_stream(
        work, f"{owner}/{name}", version, split=split, start=start, limit=limit, seed=seed, answers=answers
    )

    def lines() -> Iterator[Line]:
        count = 0
        for task in actions.read_tasks(parts, stream):
            count += 1
            yield task
        is_whole_page = stream.count is not None and count == stream.count
        end = {"split": split, "start": start, "count": count, "next": start + count if is_whole_page else None}
        yield {"summary": end}

    return LinesResponse(lines)


@router.post(
    "/packages/{owner}/{name}/releases/{version}/score",
    responses=NDJSON,
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "One ScoreRequest a line.",
            "content": {"application/x-ndjson": {"schema": ScoreRequest.model_json_schema()}},
        }
    },
    summary="Judge responses, verdicts in completion order",
)
async def score(  # noqa: PLR0917 -- FastAPI fills them by name
    owner: str,
    name: str,
    version: str,
    request: Request,
    parts: PartsDep,
    credentials: CredentialsDep,
    isolation: Isolation | None = None,
) -> Response:
    def find_target() -> actions.ScoringTarget:
        with parts.database.reading() as session:
            work = authenticated(Work(session, parts), request, credentials)
            return actions.scoring_target(work, f"{owner}/{name}", version)

    target = await run_in_threadpool(find_target)
    body = BodyLines(parts.settings.limits.score_line_bytes)

    def lines() -> Iterator[Line]:
        counts = {"received": 0, "judged": 0, "unjudged": 0, "refused": 0}
        read = (read_score_line(raw, number) for number, raw in enumerate(body, start=1))
        for line in actions.score_stream(parts, target, read, isolation):
            counts["received"] += 1
            if isinstance(line, RefusedLine):
                counts["refused"] += 1
                yield line.to_json()
            else:
                counts["unjudged" if line.verdict.error is not None else "judged"] += 1
                yield line
        yield {"summary": counts}

    return LinesResponse(lines, body)


@router.post("/packages/{owner}/{name}/releases/{version}/judge", summary="Judge one response")
def judge(  # noqa: PLR0917 -- FastAPI fills them by name
    owner: str,
    name: str,
    version: str,
    body: ScoreRequest,
    request: Request,
    parts: PartsDep,
    credentials: CredentialsDep,
) -> Verdict:
    with parts.database.reading() as session:
        work = authenticated(Work(session, parts), request, credentials)
        target = actions.scoring_target(work, f"{owner}/{name}", version)
    return actions.judge_one(parts, target, body)


@router.get("/packages/{owner}/{name}/releases/{version}/rewards", summary="The reward vector that judges responses")
def read_rewards(owner: str, name: str, version: str, work: ReadWork) -> dict[str, Any]:
    declared = actions.declared_rewards(work, f"{owner}/{name}", version)
    return {reward: declaration.model_dump(mode="json") for reward, declaration in declared.items()}


@router.websocket("/packages/{owner}/{name}/releases/{version}/session")
async def play(
    owner: str, name: str, version: str, socket: WebSocket, parts: PartsDep, credentials: CredentialsDep
) -> None:
    """A multi-turn episode: ``SessionRequest`` in, ``SessionAnswer`` out, in order. It ends with the connection."""

    def find_release() -> ExecutableRelease:
        with parts.database.reading() as session:
            work = authenticated(Work(session, parts), socket, credentials)
            return actions.session_release(work, f"{owner}/{name}", version)

    await socket.accept()
    try:
        release = await run_in_threadpool(find_release)
    except HubServerError as error:
        await socket.send_text(_refusal("", error).model_dump_json())
        await socket.close(1008, error.title)
        return
    episode = actions.Episode(parts, release)
    try:
        while True:
            answer = await run_in_threadpool(_answer, episode, await socket.receive_text())
            await socket.send_text(answer.model_dump_json())
    except WebSocketDisconnect:
        pass
    finally:
        await run_in_threadpool(episode.close)


def _answer(episode: actions.Episode, text: str) -> SessionAnswer:
    try:
        request = SessionRequest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        detail = f"{where + ': ' if where else ''}{first['msg']}"
        return SessionAnswer(id="", problem={"code": ProblemCode.INVALID_REQUEST.value, "detail": detail})
    try:
        return SessionAnswer(id=request.id, result=episode.handle(request))
    except HubServerError as error:
        return _refusal(request.id, error)


def _refusal(identifier: str, error: HubServerError) -> SessionAnswer:
    return SessionAnswer(id=identifier, problem={"code": error.code.value, "detail": error.detail})

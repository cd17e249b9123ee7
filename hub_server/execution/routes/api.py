"""Tasks and verdicts over HTTP, as streams of JSON lines."""

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import aclosing, suppress
from functools import partial
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Query, Request, Response, WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from hub_server.errors import HubServerError
from hub_server.execution import actions
from hub_server.execution.rules import RefusedLine
from hub_server.ports.executor import ExecutableRelease
from hub_server.web.admission import Admission, admissions_of, runs_code
from hub_server.web.dependencies import ReadTransaction, TransactionsDep, get_services
from hub_server.web.openapi import NDJSON, PROBLEMS
from hub_server.web.senders import sender_of
from hub_server.web.streams import BodyLines, Line, LinesResponse, json_line, pulled
from schemas.manifest import Isolation
from schemas.problem import ProblemCode
from schemas.session import SessionAnswer, SessionRequest
from schemas.strict_json import may_hold_unfit_number, parse_json
from schemas.verdict import JudgeRequest, ScoreLine, ScoreRequest, Verdict

_ENCODED_AT_ONCE_BYTES = 256 * 1024
"""More items than this are turned into JSON lines in a thread, so that other requests need not wait."""

router = APIRouter(prefix="/api/v1", tags=["execution"], responses=PROBLEMS)


@router.get("/packages/{owner}/{name}/releases/{version}/tasks", responses=NDJSON, summary="Tasks as JSON lines")
def stream_tasks(  # noqa: PLR0913, PLR0917 -- one parameter a query parameter
    owner: str,
    name: str,
    version: str,
    transactions: TransactionsDep,
    split: str = "train",
    start: Annotated[int, Query(ge=0, description="Where to go on after a break.")] = 0,
    limit: Annotated[
        int | None, Query(ge=1, description="Absent: a file split to its end; 100 generated tasks.")
    ] = None,
    seed: int = 0,
    answers: Annotated[bool, Query(description="With answer and info; needs an account.")] = False,
) -> Response:
    with transactions.reading() as work:
        stream = actions.task_stream(
            work, f"{owner}/{name}", version, split=split, start=start, limit=limit, seed=seed, answers=answers
        )

    def lines() -> Generator[Line]:
        count = 0
        for task in actions.read_lines(transactions.services, stream):
            count += 1
            yield task
        is_whole_page = stream.count is not None and count == stream.count
        end = {"split": split, "start": start, "count": count, "next": start + count if is_whole_page else None}
        yield {"summary": end}

    is_quick = stream.generator is None
    return LinesResponse(partial(pulled, make=lines, is_quick=is_quick), transactions.services.settings.execution)


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
async def score(
    owner: str,
    name: str,
    version: str,
    request: Request,
    transactions: TransactionsDep,
    isolation: Isolation | None = None,
) -> Response:
    def find_target() -> actions.ScoringTarget:
        with transactions.reading() as work:
            return actions.scoring_target(work, f"{owner}/{name}", version)

    target = await run_in_threadpool(find_target)
    settings = transactions.services.settings
    limits = settings.execution
    idle_seconds = limits.idle_seconds if sender_of(request).is_account else limits.anonymous_idle_seconds
    body = BodyLines(settings.limits.score_line_bytes, idle_seconds, limits.idle_seconds)

    async def chunks(streams: Admission) -> AsyncGenerator[bytes]:
        counts = {"received": 0, "judged": 0, "unjudged": 0, "refused": 0}
        lists = actions.judged_lists(transactions.services, target, aiter(body), isolation, streams.in_thread)
        async with aclosing(lists):
            async for answered in lists:
                for line in answered.lines:
                    counts["received"] += 1
                    counts[_kind_of(line)] += 1
                body.answered(len(answered.lines))
                encode = partial(_encoded, answered.lines)
                is_long = answered.byte_count > _ENCODED_AT_ONCE_BYTES
                yield await streams.in_thread(encode) if is_long else encode()
        yield json_line({"summary": counts})

    return LinesResponse(chunks, settings.execution, body=body)


def _encoded(lines: Sequence[ScoreLine | RefusedLine]) -> bytes:
    return b"".join(json_line(line.to_json() if isinstance(line, RefusedLine) else line) for line in lines)


def _kind_of(line: ScoreLine | RefusedLine) -> str:
    if isinstance(line, RefusedLine):
        return "refused"
    return "unjudged" if line.verdict.error is not None else "judged"


@router.post("/packages/{owner}/{name}/releases/{version}/judge", summary="Judge one response")
@runs_code
def judge(
    request: Request,  # noqa: ARG001 -- runs_code finds the sender by it
    owner: str,
    name: str,
    version: str,
    body: JudgeRequest,
    transactions: TransactionsDep,
) -> Verdict:
    with transactions.reading() as work:
        target = actions.scoring_target(work, f"{owner}/{name}", version)
    return actions.judge_one(transactions.services, target, ScoreRequest(**dict(body)))


@router.get("/packages/{owner}/{name}/releases/{version}/rewards", summary="The reward vector that judges responses")
def read_rewards(owner: str, name: str, version: str, work: ReadTransaction) -> dict[str, Any]:
    declared = actions.declared_rewards(work, f"{owner}/{name}", version)
    return {reward: declaration.model_dump(mode="json") for reward, declaration in declared.items()}


@router.websocket("/packages/{owner}/{name}/releases/{version}/session")
async def play(owner: str, name: str, version: str, socket: WebSocket, transactions: TransactionsDep) -> None:
    """A multi-turn episode: ``SessionRequest`` in, ``SessionAnswer`` out, in order. It ends with the connection.

    Each message is asked anew whether it may: an account that is suspended, a token that is revoked or a release that
    is quarantined meanwhile ends the episode.
    """

    def find_release(version: str = version) -> ExecutableRelease:
        with transactions.reading() as work:
            return actions.session_release(work, f"{owner}/{name}", version)

    await socket.accept()
    episodes = admissions_of(socket).episodes
    with suppress(WebSocketDisconnect):  # raised by whatever reads from a client that has gone, or tells it something
        try:
            release = await run_in_threadpool(find_release)
            async with episodes.slot(sender_of(socket)):
                check = partial(find_release, release.version)
                await _play(socket, actions.LiveEpisode(transactions.services, release), episodes, check)
        except HubServerError as error:
            await socket.send_text(_refusal("", error).model_dump_json())
            await socket.close(1008, error.title)


async def _play(
    socket: WebSocket, episode: actions.LiveEpisode, episodes: Admission, check: Callable[[], object]
) -> None:
    """Message by message, until the client says nothing for too long, or ``check`` refuses it.

    Raises ``WebSocketDisconnect`` when the client goes away.
    """
    idle_seconds = get_services(socket).settings.execution.idle_seconds
    try:
        while True:
            with anyio.fail_after(idle_seconds):
                text = await socket.receive_text()
            await episodes.in_thread(check)
            answer = await episodes.in_thread(partial(_answer, episode, text))
            await socket.send_text(answer.model_dump_json())
    except TimeoutError:
        await socket.close(1001, f"nothing came in for {idle_seconds:g} s")
    finally:
        with anyio.CancelScope(shield=True):
            await episodes.in_thread(episode.close)


def _answer(episode: actions.LiveEpisode, text: str) -> SessionAnswer:
    try:
        if may_hold_unfit_number(text.encode("utf-8", "replace")):
            parse_json(text)
        request = SessionRequest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        detail = f"{where + ': ' if where else ''}{first['msg']}"
        return SessionAnswer(id="", problem={"code": ProblemCode.INVALID_REQUEST.value, "detail": detail})
    except ValueError as error:
        detail = f"not sound JSON: {error}"
        return SessionAnswer(id="", problem={"code": ProblemCode.INVALID_REQUEST.value, "detail": detail})
    try:
        return SessionAnswer(id=request.id, result=episode.handle(request))
    except HubServerError as error:
        return _refusal(request.id, error)


def _refusal(identifier: str, error: HubServerError) -> SessionAnswer:
    return SessionAnswer(id=identifier, problem={"code": error.code.value, "detail": error.detail})

"""Task and scoring streams as NDJSON."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from hub_client.errors import UsageError
from hub_client.transport.hub_verdicts import Declared, read_verdict
from hub_client.transport.requests.call import API
from hub_client.transport.requests.packages import release_path
from schemas.verdict import ErrorKind, ScoreLine, ScoreRequest, Verdict

_BODY_BYTES = 64 << 20
"""A quarter of what a hub takes as one body."""
_encode = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode


def score_path(package_id: str, version: str) -> str:
    """The path to which requests for verdicts are sent."""
    return f"{API}{release_path(package_id, version)}/score"


def score_bodies(requests: Iterable[ScoreRequest]) -> Iterator[tuple[list[ScoreRequest], bytes]]:
    """``requests`` in their order, with bodies of one line a request: many lines a body, but at most 64 MiB of them.

    Raises :class:`UsageError` for what JSON cannot hold, such as NaN in a task.
    """
    together: list[ScoreRequest] = []
    body = bytearray()
    for request in requests:
        line = _line(request)
        if together and len(body) + len(line) >= _BODY_BYTES:
            yield together, bytes(body)
            together, body = [], bytearray()
        together.append(request)
        body += line
        body += b"\n"
    if together:
        yield together, bytes(body)


def _line(request: ScoreRequest) -> bytes:
    row = {name: value for name, value in request if value is not None}
    try:
        text = _encode(row)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"call {request.id!r} cannot be sent as JSON: {error}") from None
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair, as a model may write: the hub refuses this line and judges the others.
        return json.dumps(row, allow_nan=False).encode()


def read_score_line(data: dict[str, Any], declared: Declared) -> ScoreLine | None:
    """A verdict, or None for a line that holds none (a heartbeat or the closing summary).

    A line that the hub refused, or whose verdict breaks the declaration, gives null with kind ``host``.
    """
    identifier = data.get("id")
    if not isinstance(identifier, str):
        return None
    if "problem" in data:
        reason = f"the hub refused this call: {problem_text(data['problem'])}"
        return ScoreLine(id=identifier, verdict=Verdict.unjudged(list(declared), ErrorKind.HOST, reason))
    return ScoreLine(id=identifier, verdict=read_verdict(data["verdict"], declared)) if "verdict" in data else None


def problem_text(problem: Any) -> str:
    """The text of a problem inside a stream."""
    found = problem.get("detail") or problem.get("title") if isinstance(problem, dict) else None
    return found[:500] if isinstance(found, str) and found else "it gave no reason"


def tasks_path(package_id: str, version: str) -> str:
    """The path from which tasks are streamed."""
    return f"{API}{release_path(package_id, version)}/tasks"


def session_path(package_id: str, version: str) -> str:
    """The WebSocket on which an episode is played."""
    return f"{API}{release_path(package_id, version)}/session"

"""Task and scoring streams as NDJSON."""

import json
from collections.abc import Sequence
from typing import Any

from hub_client.requests.call import API
from hub_client.requests.packages import release_path
from schemas.verdict import ScoreLine, ScoreRequest


def score_path(package_id: str, version: str) -> str:
    """Where pairs are judged."""
    return f"{API}{release_path(package_id, version)}/score"


def score_body(requests: Sequence[ScoreRequest]) -> bytes:
    """One line a request."""
    rows = (request.model_dump(mode="json", exclude_none=True) for request in requests)
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows).encode()


def read_score_line(data: dict[str, Any]) -> ScoreLine | None:
    """A verdict, or None for a line that is none (a heartbeat or the closing summary)."""
    return ScoreLine.read(data) if "verdict" in data else None


def tasks_path(package_id: str, version: str) -> str:
    """Where tasks are streamed."""
    return f"{API}{release_path(package_id, version)}/tasks"


def session_path(package_id: str, version: str) -> str:
    """The WebSocket on which an episode is played."""
    return f"{API}{release_path(package_id, version)}/session"

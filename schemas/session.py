"""Messages on a session's WebSocket: one request, one answer, matched by id."""

from typing import Any, Literal

from pydantic import Field

from schemas.base import WireModel


class SessionRequest(WireModel):
    """One action in an episode.

    ``reset`` starts it, with ``task`` (whole) or ``task_id`` and ``split``; without either it starts the same episode
    again. ``branch`` copies a live episode: the answer names the copy, and later requests address it by ``session``.
    """

    id: str = Field(min_length=1, max_length=200)
    op: Literal["reset", "step", "state", "branch", "undo", "close"]
    session: str = "main"
    task: dict[str, Any] | None = None
    task_id: str | None = None
    split: str | None = None
    seed: int = 0
    message: dict[str, Any] | None = None


class SessionAnswer(WireModel):
    """The answer to the request with the same id: a result, or why there is none (``code`` and ``detail``)."""

    id: str
    result: dict[str, Any] | None = None
    problem: dict[str, str] | None = None

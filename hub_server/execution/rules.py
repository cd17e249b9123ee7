"""Pure decisions of execution: which lines of a stream can be judged."""

import json
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from schemas.problem import ProblemCode
from schemas.strict_json import first_line, may_hold_unfit_number, parse_json
from schemas.verdict import ScoreRequest


@dataclass(frozen=True)
class RefusedLine:
    """A line of a scoring stream that could not be read or names no task.

    It is answered with the reason, never dropped.
    """

    id: str | None
    line: int
    code: ProblemCode
    message: str

    def to_json(self) -> dict[str, Any]:
        """The line that answers it, as JSON."""
        return {"id": self.id, "line": self.line, "problem": {"code": self.code.value, "detail": self.message}}


def read_score_line(raw: bytes, number: int, line_bytes: int) -> ScoreRequest | RefusedLine:
    """One line of the request's body; ``number`` counts from 1. A line is refused beyond ``line_bytes``."""
    if len(raw) > line_bytes:
        message = f"line {number}: longer than the {line_bytes} bytes that a line may have"
        return RefusedLine(None, number, ProblemCode.TOO_LARGE, message)
    try:
        if may_hold_unfit_number(raw):  # pydantic accepts NaN, Infinity and 1e999; no other JSON reader does.
            parse_json(raw)
        return ScoreRequest.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = f"line {number}: {where + ': ' if where else ''}{first['msg']}"
        return RefusedLine(_find_id(raw), number, ProblemCode.INVALID_REQUEST, message)
    except ValueError as error:
        return RefusedLine(_find_id(raw), number, ProblemCode.INVALID_REQUEST, f"line {number}: {first_line(error)}")


def _find_id(raw: bytes) -> str | None:
    """The id of a line that is JSON, if nothing more."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    identifier = value.get("id") if isinstance(value, dict) else None
    return identifier if isinstance(identifier, str) else None


def what_is_missing(request: ScoreRequest) -> str | None:
    """Why a readable request cannot be judged, or None."""
    if request.task is None and request.task_id is None:
        return "give task (whole, with its answer) or task_id"
    if request.response is None and request.messages is None and request.state is None and request.files is None:
        return "give response, messages, state or files"
    return None

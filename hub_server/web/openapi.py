"""Responses that the OpenAPI document lists for every route."""

from typing import Any

from schemas.problem import Problem

PROBLEMS: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "A refusal (RFC 9457); `code` is one of a closed list, see docs/reference/errors.md.",
        "model": Problem,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}
NDJSON: dict[int | str, dict[str, Any]] = {
    200: {"description": 'JSON lines; the last one is `{"summary": …}`.', "content": {"application/x-ndjson": {}}},
    **PROBLEMS,
}
BYTES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The bytes.", "content": {"application/octet-stream": {}}},
    **PROBLEMS,
}
RANGES: dict[int | str, dict[str, Any]] = {
    **BYTES,
    206: {"description": "The part that `Range` asks for.", "content": {"application/octet-stream": {}}},
    416: {"description": "The file has no such part; `Content-Range` says how long it is."},
}

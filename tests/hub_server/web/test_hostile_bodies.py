"""No body and no path of a write makes the hub fail: every field of every operation is sent what no form would send."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI

from hub_server.kernel.services import Services
from hub_server.settings import LimitSettings, ServerSettings
from tests.hub_server.web.test_edges import _example
from tests.making.fuzzed_hub import fill

TEXTS = ("\x00", "\ud800", "9" * 5000, "2026-11-25T00:00:00", "\uffff", "a/" * 200, "-1")
"""NUL, half of a surrogate pair, more digits than a number may have, a time without a zone, what XML forbids, slashes."""
NUMBERS = (2**63, 10**30, -1, float("inf"), float("nan"), 1e308)
DEEP: Any = "[" * 3000 + "]" * 3000
PATHS = ("%00", "%ED%A0%80", "9" * 5000, quote("//["), "-1", str(2**63))
SHARE = 11
"""Prime, so that the values which are sent differ from field to field."""
ANSWERED = {503}
"""No sandbox and no tools: what this hub says that it lacks."""


@pytest.fixture
def settings(settings: ServerSettings) -> ServerSettings:
    """Nobody is slowed down, and alice may do what moderators do."""
    many = {name: 10**9 for name in LimitSettings.model_fields if name.endswith(("_burst", "_per_day"))}
    limits = settings.limits.model_copy(update=many)
    return settings.model_copy(update={"limits": limits, "moderators": ["alice"]})


@pytest.mark.parametrize("part", ["one of eleven", pytest.param("the others", marks=pytest.mark.slow)])
def test_no_field_and_no_path_is_a_fault_of_the_hub(app: FastAPI, services: Services, part: str) -> None:
    """One of eleven requests, and the others, which take 14 s of CPU for each database; none is sent twice."""
    alice, known = fill(app, services)
    failed, answered = {}, set()
    for number, (method, path, body) in enumerate(_requests(app, known)):
        if (number % SHARE == 0) != (part == "one of eleven"):
            continue
        headers = {"Content-Type": "application/json"} if body is not None else {}
        status = alice.request(method, path, content=body, headers=headers).status_code
        answered.add(status)
        if status >= 500 and status not in ANSWERED:
            failed[f"{method} {path[:100]} {(body or '')[:200]}"] = status
    assert failed == {}
    assert {404, 422} <= answered
    assert alice.get("/api/v1/account").status_code == 200, "else most of this was refused at the door"


def _requests(app: FastAPI, known: dict[str, str]) -> Iterator[tuple[str, str, str | None]]:
    document = app.openapi()
    for path, operations in sorted(document["paths"].items()):
        sound = {name: known.get(name, "x1") for name in re.findall(r"\{(\w+)", path)}
        address = re.sub(r"\{(\w+)[^}]*\}", lambda match: sound[match[1]], path)  # noqa: B023
        for method in sorted(operations.keys() & {"post", "put", "patch", "delete"}):
            schema = _schema_of(operations[method])
            least = json.dumps(_example(document["components"]["schemas"], schema)) if schema else None
            for name in sound:
                for value in PATHS:
                    hostile = re.sub(r"\{(\w+)[^}]*\}", lambda match: {**sound, name: value}[match[1]], path)  # noqa: B023
                    yield method.upper(), hostile, least
            if schema is not None:
                yield method.upper(), address, DEEP
                for body in _bodies(document["components"]["schemas"], schema):
                    yield method.upper(), address, body


def _schema_of(operation: dict[str, Any]) -> dict[str, Any] | None:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return content["schema"] if content else None


def _bodies(schemas: dict[str, Any], schema: dict[str, Any]) -> Iterator[str]:
    """The least sound body with one field hostile, optional ones included; one field of a list's item likewise."""
    schema = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    least = _example(schemas, schema)
    for name, field in schema.get("properties", {}).items():
        for value in _hostile(schemas, field):
            yield json.dumps({**(least if isinstance(least, dict) else {}), name: value})


def _hostile(schemas: dict[str, Any], field: dict[str, Any], depth: int = 0) -> Iterator[object]:
    if "$ref" in field:
        field = schemas[field["$ref"].rpartition("/")[2]]
    for one in field.get("anyOf", []):
        yield from _hostile(schemas, one, depth)
    kind = field.get("type")
    if kind == "string" and "enum" not in field:
        yield from TEXTS
    elif kind in ("integer", "number"):
        yield from NUMBERS
    elif kind == "array" and depth == 0:
        yield from ([value] for value in _hostile(schemas, field["items"], depth + 1))
    elif kind == "object" and "properties" in field and depth < 2:
        for name, inner in field["properties"].items():
            least = _example(schemas, field)
            yield from ({**(least if isinstance(least, dict) else {}), name: value}
                        for value in _hostile(schemas, inner, depth + 1))  # fmt: skip
    elif kind == "object":
        yield from ({key: value} for key, value in (("\x00", "\ud800"), ("a", 10**30), ("b", float("nan"))))

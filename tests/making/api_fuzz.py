"""Requests that the API's own description allows, and some that it does not; whatever they are, none is a fault of the hub.

schemathesis makes them from the OpenAPI document. Half of them name things that exist, so that they get past the doors.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisException
from schemathesis import Case, GenerationMode
from schemathesis.core import NotSet
from schemathesis.core.errors import SchemathesisError

from tests.making.hub import Api

MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


@schemathesis.serializer("application/x-ndjson")
def _as_lines(_context: object, value: Any) -> bytes:
    """What schemathesis cannot write by itself: the lines of a stream."""
    rows = value if isinstance(value, list) else [value]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


AWAY = {503}
"""No sandbox, no tools: what this hub says that it lacks."""


@dataclass(frozen=True)
class Failure:
    """A request that the hub could not deal with."""

    status: int
    request: str


def fuzz(
    api: Api,
    document: Mapping[str, Any],
    known: Mapping[str, str],
    examples: int,
    start: int = 0,
    part: tuple[int, int] = (1, 1),
) -> list[Failure]:
    """Send ``examples`` requests of each kind to every operation; ``start`` chooses which. Gives those answered 5xx.

    An operation to which no request can be made is an ``AssertionError``: it would drop out unseen.

    ``part``: (2, 5) sends to the second fifth of the operations alone.
    """
    failed = []
    for number, case in enumerate(_all_cases(json.dumps(document), examples, start, part)):
        request = _request(case, known if number % 2 == 0 else {})
        status = api.request(case.method, **request).status_code
        if status >= 500 and status not in AWAY:
            failed.append(Failure(status, f"{case.method} {str(request)[:600]}"))
    return failed


@lru_cache(2)
def _all_cases(document: str, examples: int, start: int, part: tuple[int, int]) -> tuple[Case, ...]:
    """The same for both databases: making them costs more than sending them."""
    schema = schemathesis.openapi.from_dict(json.loads(document))
    operations = [found.ok() for found in schema.get_all_operations()][part[0] - 1 :: part[1]]
    return tuple(
        case
        for operation in operations
        for mode in (MODES if _can_be_wrong(operation) else MODES[:1])
        for case in _cases(operation, mode, examples, start)
    )


def _can_be_wrong(operation: Any) -> bool:
    """Whether a request can break the description: any text is a path, and making sure of that takes half a second."""
    return bool(operation.body or operation.query)


def _cases(operation: Any, mode: GenerationMode, count: int, start: int) -> list[Case]:
    made: list[Case] = []

    @seed(start)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def make(case: Case) -> None:
        made.append(case)

    try:
        make()
    except (HypothesisException, SchemathesisError) as error:
        raise AssertionError(f"{operation.label}: no {mode.value} request can be made: {error}") from error
    assert made, f"{operation.label}: no {mode.value} request was made"
    return made[:count]


def _request(case: Case, known: Mapping[str, str]) -> dict[str, Any]:
    parameters = {name: known.get(name, value) for name, value in (case.path_parameters or {}).items()}
    path = case.path
    for name, value in parameters.items():
        path = path.replace("{" + name + "}", quote(str(value), safe="", errors="surrogatepass"))
    sent: dict[str, Any] = {"path": path, "params": list(_pairs(case.query or {}))}
    headers = {str(name): str(value) for name, value in (case.headers or {}).items()}
    sent["headers"] = {
        name: value for name, value in headers.items() if (name + value).isprintable() and (name + value).isascii()
    }
    if isinstance(case.body, bytes):
        sent["content"] = case.body
    elif not isinstance(case.body, NotSet):  # without one: a body that is needed was left out
        sent["content"] = json.dumps(case.body).encode()
    if case.media_type is not None:
        sent["headers"]["Content-Type"] = case.media_type
    return sent


def _pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in query.items():
        for one in value if isinstance(value, list) else [value]:
            yield str(name).encode("utf-8", "replace").decode(), str(one).encode("utf-8", "replace").decode()

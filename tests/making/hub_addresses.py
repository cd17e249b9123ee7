"""An address for every page and every answer of the API that is read: one for each route of the application that takes GET.

The routes are the application's own, so a new page cannot be left out: a parameter that nothing here names fails.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from sqlalchemy import text

from hub_server.kernel.services import Services


@dataclass(frozen=True)
class Names:
    """What the addresses of a hub name. None: the hub has no such thing, so that it has no address."""

    named: Mapping[str, str | None]
    elsewhere: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    """Kind of thing -> what stands for ``named`` in its routes."""


VARIED = Names(
    {
        "owner": "alice", "name": "small-sums", "version": "1.1.0", "before": "1.0.0", "project": "alice-small-sums",
        "path": "alice_small_sums/__init__.py", "filename": "small_sums.whl", "question_id": "question", "word": "sums",
    },
    {
        "account": {"name": "alice"},
        "organization": {"name": "acme"},
        "benchmark": {"name": "ladder", "version": "1.0.0"},
        "suite": {"name": "suite"},
        "collection": {"name": "shelf"},
    },
)  # fmt: skip
"""What ``varied_hub.fill`` has made."""
_ALWAYS = {"slug": "tutorials/install", "number": "1", "code": "none"}
_KINDS = {
    "/api/v1/organizations/": "organization",
    "/api/v1/accounts/": "account",
    "/api/v1/owners/{name}": "account",
    "/api/v1/benchmarks/": "benchmark",
    "/benchmarks/": "benchmark",
    "/api/v1/collections/": "collection",
    "/collections/{owner}/": "collection",
    "/api/v1/packages/{owner}/{name}/leaderboard": "suite",
    "/docs/api/": "chapter",
}
"""Beginning of a route -> what it names, where that is no package."""
_CHAPTERS = {"chapter": {"slug": "accounts"}}
_IDS = {
    "run_id": "SELECT min(id) FROM runs WHERE last_step > 5",
    "case_id": "SELECT min(id) FROM counter_examples",
    "discussion_id": "SELECT min(id) FROM discussions",
    "audit_id": "SELECT min(id) FROM audits WHERE state = 'done' AND version = :version",
    "comparison_id": "SELECT min(id) FROM comparisons",
    "report_id": "SELECT min(id) FROM reports",
    "webhook_id": "SELECT min(id) FROM webhooks",
    "other_run": "SELECT max(id) FROM runs WHERE name = 'other'",
    "digest": "SELECT substr(digest, 8) FROM releases WHERE package_id = :package AND version = :version",
}
_TWO_RELEASES = "left={owner}/{name}@{before}&right={owner}/{name}@{version}"
_QUERIES = {
    "/api/v1/comparisons": _TWO_RELEASES,
    "/api/v1/journal/consistency": "old=1&new=2",
    "/api/v1/runs/compare": "run={run_id}&run={other_run}",
    "/api/v1/webhooks": "owner={owner}",
    "/compare": _TWO_RELEASES,
    "/publishers": "package={owner}/{name}",
    "/docs/search": "q=verifier",
    "/packages": "q={word}",
    "/packages/{owner}/{name}/diff": "from={before}&to={version}",
    "/runs/compare": "run={run_id}&run={other_run}",
}


def read_routes(app: FastAPI) -> list[str]:
    """The path of every route that takes GET, in the application's order."""
    return [route.path for route in app.routes if isinstance(route, APIRoute) and "GET" in route.methods]


def read_addresses(app: FastAPI, services: Services, names: Names = VARIED) -> dict[str, str]:
    """Route -> an address of it, without the routes that name what the hub lacks."""
    with services.database.reading() as session:
        asked = {"package": f"{names.named['owner']}/{names.named['name']}", "version": names.named["version"]}
        ids = {
            name: session.execute(text(query), {key: asked[key] for key in re.findall(r":(\w+)", query)}).scalar()
            for name, query in _IDS.items()
        }
    known = {**_ALWAYS, **names.named, **ids}
    found = {route: _address(route, {**known, **_elsewhere(route, names)}) for route in read_routes(app)}
    return {route: address for route, address in found.items() if address is not None}


def _elsewhere(route: str, names: Names) -> Mapping[str, str | None]:
    kind = next((kind for start, kind in _KINDS.items() if route.startswith(start)), "")
    return {**_CHAPTERS, **names.elsewhere}.get(kind, {})


def _address(route: str, known: Mapping[str, Any]) -> str | None:
    """Raises ``KeyError`` for a parameter that nothing here names."""
    whole = re.sub(r"{(\w+):path}", r"{\1}", route)
    if route in _QUERIES:
        whole += f"?{_QUERIES[route]}"
    if any(known[name] is None for name in re.findall(r"{(\w+)}", whole)):
        return None
    return whole.format_map(known)

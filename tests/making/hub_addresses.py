"""An address for every page and every answer of the API that is read: one for each route of the application that takes GET.

The routes are the application's own, so a new page cannot be left out: a parameter that nothing here names fails.
"""

import re
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from sqlalchemy import text

from hub_server.kernel.services import Services

PACKAGE = "alice/small-sums"
_NAMES = {
    "owner": "alice", "name": "small-sums", "version": "1.1.0", "project": "alice-small-sums", "slug": "tutorials/install",
    "path": "alice_small_sums/__init__.py", "number": "1", "question_id": "question", "filename": "small_sums.whl", "code": "none",
}  # fmt: skip
_OTHER_NAMES = {
    "/api/v1/organizations/": {"name": "acme"},
    "/api/v1/accounts/": {"name": "alice"},
    "/api/v1/owners/{name}": {"name": "alice"},
    "/api/v1/benchmarks/": {"name": "ladder", "version": "1.0.0"},
    "/benchmarks/": {"name": "ladder", "version": "1.0.0"},
    "/api/v1/collections/": {"name": "shelf"},
    "/collections/": {"name": "shelf"},
    "/api/v1/packages/{owner}/{name}/leaderboard": {"name": "suite"},
    "/docs/api/": {"slug": "accounts"},
}
"""Beginning of a route -> what it names, where that is no package."""
_IDS = {
    "run_id": "SELECT min(id) FROM runs WHERE last_step > 5",
    "case_id": "SELECT min(id) FROM counter_examples",
    "discussion_id": "SELECT min(id) FROM discussions",
    "audit_id": "SELECT min(id) FROM audits WHERE state = 'done' AND version = '1.1.0'",
    "comparison_id": "SELECT min(id) FROM comparisons",
    "report_id": "SELECT min(id) FROM reports",
    "webhook_id": "SELECT min(id) FROM webhooks",
    "other_run": "SELECT max(id) FROM runs WHERE name = 'other'",
    "digest": "SELECT substr(digest, 8) FROM releases WHERE package_id = 'alice/small-sums' AND version = '1.1.0'",
}
_QUERIES = {
    "/api/v1/comparisons": "left=alice/small-sums@1.0.0&right=alice/small-sums@1.1.0",
    "/api/v1/journal/consistency": "old=1&new=2",
    "/api/v1/runs/compare": "run={run_id}&run={other_run}",
    "/api/v1/webhooks": "owner=alice",
    "/compare": "left=alice/small-sums@1.0.0&right=alice/small-sums@1.1.0",
    "/publishers": "package=alice/small-sums",
    "/docs/search": "q=verifier",
    "/packages": "q=sums",
    "/packages/{owner}/{name}/diff": "from=1.0.0&to=1.1.0",
    "/runs/compare": "run={run_id}&run={other_run}",
}


def read_routes(app: FastAPI) -> list[str]:
    """The path of every route that takes GET, in the application's order."""
    return [route.path for route in app.routes if isinstance(route, APIRoute) and "GET" in route.methods]


def read_addresses(app: FastAPI, services: Services) -> dict[str, str]:
    """Route -> an address of it that names what ``varied_hub.fill`` has made."""
    with services.database.reading() as session:
        known = {**_NAMES, **{name: session.execute(text(query)).scalar() for name, query in _IDS.items()}}
    return {route: _address(route, known) for route in read_routes(app)}


def _address(route: str, known: Mapping[str, Any]) -> str:
    """Raises ``KeyError`` for a parameter that nothing here names."""
    other = next((names for start, names in _OTHER_NAMES.items() if route.startswith(start)), {})
    query = _QUERIES.get(route, "")
    address = re.sub(r"{(\w+)(:path)?}", lambda found: str({**known, **other}[found[1]]), route)
    return f"{address}?{query.format_map(known)}" if query else address

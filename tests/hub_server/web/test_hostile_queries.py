"""No query string and no path makes the hub fail: every route that reads is sent values that no form would send."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI

from hub_server.kernel.services import Services
from tests.making.hub import Api, make_package, run_jobs

HOSTILE = ("%00", "%ED%A0%80", str(10**30), str(2**63), "-1", quote("//[", safe=""), "9" * 5000)
"""NUL, a lone surrogate, more than a database's integers hold, half an address, more digits than a number may have."""
PAGES = (
    "/packages?q={0}", "/packages?sort={0}&kind={0}", "/packages?cursor={0}", "/packages/alice/small-sums?version={0}",
    "/packages/alice/small-sums/releases/{0}", "/packages/alice/small-sums/releases/1.0.0/tasks?split={0}&start={0}",
    "/packages/alice/small-sums/releases/1.0.0/code/{0}", "/packages/alice/small-sums/diff?from={0}&to={0}",
    "/packages/alice/small-sums/releases/1.0.0/audits/{0}", "/runs?cursor={0}", "/runs/{run}?step={0}&phase={0}",
    "/runs/{0}", "/compare?left={0}&right={0}", "/packages/alice/small-sums/releases/1.0.0/cases/new?run={0}&rollout={0}", "/label?package={0}", "/login?next={0}", "/owners/{0}", "/docs/{0}",
)  # fmt: skip


def _routes(app: FastAPI) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for path, methods in sorted(app.openapi()["paths"].items()):
        if "get" in methods:
            yield path, methods["get"].get("parameters", [])


def _addresses(app: FastAPI, known: dict[str, str], value: str) -> Iterator[str]:
    """Each route with one parameter at a time hostile, the others as they exist on the hub."""
    for path, parameters in _routes(app):
        in_path = [one["name"] for one in parameters if one["in"] == "path"]
        sound = {name: known.get(name, "x") for name in in_path}
        for name in in_path:
            yield path.format(**{**sound, name: value})
        for one in parameters:
            if one["in"] == "query":
                yield f"{path.format(**sound)}?{one['name']}={value}"


def test_no_value_is_a_fault_of_the_hub(app: FastAPI, alice: Api, services: Services) -> None:
    assert alice.publish(make_package()).status_code == 201
    run_jobs(services)
    run = alice.post("/api/v1/runs", json={"name": "r", "kind": "evaluation", "model": "m"}).json()["id"]
    known = {"owner": "alice", "name": "small-sums", "version": "1.0.0", "run_id": run, "number": "1"}
    addresses = {one for value in HOSTILE for one in _addresses(app, known, value)}
    failed = {}
    for address in sorted(addresses):
        status = alice.get(address).status_code
        if status >= 500 and status != 503:  # 503: this hub has no tools for models
            failed[address[:120]] = status
    for address in [page.replace("{run}", run).format(value) for page in PAGES for value in HOSTILE[:5]]:
        status = alice.get(address, headers={"Accept": "text/html"}).status_code
        if status >= 500:
            failed[address[:120]] = status
    assert failed == {}

"""Endpoints for operators, monitoring and clients that look for the API: discovery, health, metrics."""

from datetime import timedelta
from typing import Any

import anyio
import anyio.to_thread
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from hub_server.catalog import actions as catalog
from hub_server.database.read_only import read_only_reason
from hub_server.errors import NotFoundError, UnavailableError
from hub_server.journal import actions as journal
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.mirror import actions as mirror
from hub_server.ops.gauges import DatabaseGauges
from hub_server.ops.journal_state import JournalState
from hub_server.ops.metrics_readers import check_metrics_reader
from hub_server.ops.sandbox_state import SandboxState
from hub_server.publishing import actions as publishing
from hub_server.web.dependencies import ReadTransaction, ServicesDep, public_url
from hub_server.web.metrics import RequestMetrics, gauges_text
from hub_server.web.openapi import PROBLEMS
from hub_server.web.per_loop import PerLoop

_SECURITY_TXT_LIFETIME = timedelta(days=90)  # RFC 9116 recommends less than a year; each answer begins it anew
_THREADS = PerLoop(lambda: anyio.CapacityLimiter(2))
_SCRAPES = PerLoop(lambda: anyio.CapacityLimiter(2))
router = APIRouter(tags=["operations"], responses=PROBLEMS)


@router.get("/.well-known/verihub.json", summary="Where things are on this hub")
def discover(request: Request, services: ServicesDep, work: ReadTransaction) -> dict[str, Any]:
    base = public_url(request, services)
    return {
        "format": 1,
        "api": f"{base}/api/v1",
        "index": f"{base}/simple",
        "docs": f"{base}/docs",
        "openapi": f"{base}/api/v1/openapi.json",
        "device": f"{base}/device",
        "keys": f"{base}/api/v1/keys",
        "checkpoint": f"{base}/api/v1/journal/checkpoint",
        "signing_keys": [key.model_dump(mode="json") for key in journal.list_signing_keys(work).items],
        "feeds": {"releases": f"{base}/feeds/releases.atom"},
        "limits": {
            "wheel_bytes": services.settings.limits.wheel_bytes,
            "part_bytes": publishing.part_bytes(services),
            "score_line_bytes": services.settings.limits.score_line_bytes,
        },
    }


@router.get("/.well-known/security.txt", summary="Whom to tell of a hole in this hub", response_class=PlainTextResponse)
def security_txt(request: Request, services: ServicesDep) -> PlainTextResponse:
    """RFC 9116. It expires a quarter of a year from today: a hub that is run by somebody always has a fresh one."""
    contact = services.settings.security_contact
    if not contact:
        raise NotFoundError("This hub's operator has named nobody to tell: see VERIHUB_SERVER_SECURITY_CONTACT.")
    today = services.clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    lines = [
        f"Contact: {contact}",
        f"Expires: {(today + _SECURITY_TXT_LIFETIME).strftime('%Y-%m-%dT%H:%M:%SZ')}",
        "Preferred-Languages: en",
        f"Canonical: {public_url(request, services)}/.well-known/security.txt",
    ]
    return PlainTextResponse("\n".join(lines) + "\n", headers={"Cache-Control": "max-age=3600"})


@router.get("/healthz", summary="The process lives")
async def healthz() -> PlainTextResponse:
    """Answered on the event loop itself, so that a hub whose request threads are all busy still counts as alive."""
    return PlainTextResponse("ok\n")


@router.get("/readyz", summary="Database and blobs answer; says whether the sandbox does")
async def readyz(request: Request, services: ServicesDep) -> JSONResponse:
    """503 while the database or the blobs are not available, or releases are still to be entered in the journal.

    Looked for in threads of its own, so that a hub whose request threads are all busy still counts as ready.

    A mirror says how far it is, or why it has stopped: what it shows stays true, so it is ready all the same.

    Without a sandbox the hub still serves, and audits wait. Whether there is one is not known where its engine does not
    answer within two seconds. While the search index is behind, a search may miss packages.
    """
    return await anyio.to_thread.run_sync(_readiness, request.app, services, limiter=_THREADS.get())


def _readiness(app: FastAPI, services: Services) -> JSONResponse:
    journal_state: JournalState = app.state.journal
    sandbox_state: SandboxState = app.state.sandbox
    checks = {"database": _check(services.database.check), "blobs": _check(services.blobs.check)}
    is_ready = all(state == "ok" for state in checks.values())
    unknown = {"search": "unknown", "writes": "unknown", "journal": "unknown"}
    body = {"ready": is_ready, **checks, "sandbox": sandbox_state.describe(), **unknown}
    if is_ready:
        is_ready, words = journal_state.describe(services)
        body |= {"ready": is_ready, "search": _search(services), "writes": _writes(services), "journal": words}
        if services.settings.mirror.of:
            body["mirror"] = mirror.describe(services)
    return JSONResponse(body, status_code=200 if is_ready else 503, headers={"Cache-Control": "no-store"})


def _search(services: Services) -> str:
    with services.database.reading() as session:
        return "ok" if catalog.is_indexed(UnitOfWork(session, services)) else "behind: some packages are not found yet"


def _writes(services: Services) -> str:
    if services.settings.mirror.of:
        return f"mirror of {services.settings.mirror.of}"
    with services.database.reading() as session:
        reason = read_only_reason(session)
    return "ok" if reason is None else f"read-only: {reason}"


def _check(check: Any) -> str:
    try:
        check()
    except UnavailableError as error:
        return error.detail
    return "ok"


@router.get("/metrics", summary="For Prometheus", response_class=Response)
async def metrics(request: Request, services: ServicesDep) -> PlainTextResponse:
    """For the operator: by the bearer token ``VERIHUB_SERVER_METRICS_TOKEN``; without one, for nobody.

    Read in threads of its own, so that a hub whose request threads are all busy still says so. Where the database does
    not answer within five seconds, its numbers are left out, and ``verihub_database_available`` is 0. Where the
    sandbox's engine does not within two, ``verihub_sandbox_available`` is NaN.
    """
    check_metrics_reader(request, services.settings.metrics_token)
    text = await anyio.to_thread.run_sync(_metrics, request.app, services, limiter=_SCRAPES.get())
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4", headers={"Cache-Control": "no-store"})


def _metrics(app: FastAPI, services: Services) -> str:
    counted: RequestMetrics = app.state.metrics
    stored: DatabaseGauges = app.state.database_gauges
    of_database = stored.text()
    sandbox: SandboxState = app.state.sandbox
    parts = (
        ("verihub_database_available", "1 while the database answers.", "part", {"database": of_database is not None}),
        ("verihub_sandbox_available", "1 while code can be run.", "part", {"sandbox": sandbox.gauge()}),
    )
    return counted.text() + (of_database or "") + gauges_text(parts) + services.executor.metrics()

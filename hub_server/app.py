"""The web application: makes a FastAPI application from the hub's services."""

from functools import cache, partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from hub_server.accounts import actions as accounts
from hub_server.accounts import routes as account_routes
from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.accounts.rules.secrets import DEVICE_POLL_SECONDS
from hub_server.audits import routes as audit_routes
from hub_server.catalog import routes as catalog_routes
from hub_server.catalog.rules.trends import DOWNLOAD_COUNTS_ONCE_SECONDS
from hub_server.collections import routes as collection_routes
from hub_server.discussions import routes as discussion_routes
from hub_server.errors import PasswordNeededError
from hub_server.evaluations import routes as evaluation_routes
from hub_server.events import routes as event_routes
from hub_server.execution import routes as execution_routes
from hub_server.journal import routes as journal_routes
from hub_server.kernel.services import Services
from hub_server.moderation import routes as moderation_routes
from hub_server.ops import endpoints as ops_endpoints
from hub_server.ops.gauges import DatabaseGauges
from hub_server.ops.journal_state import JournalState
from hub_server.ops.metrics_readers import is_scrape
from hub_server.ops.sandbox_state import SandboxState
from hub_server.ownership import routes as ownership_routes
from hub_server.publishing import routes as publishing_routes
from hub_server.runs import routes as run_routes
from hub_server.site.pages import short_addresses
from hub_server.site.pages.confirmation import ask_for_proof
from hub_server.site.rendering.templates import render_problem
from hub_server.site.routers import ROUTERS as PAGE_ROUTERS
from hub_server.trusted_publishing import routes as trusted_publishing_routes
from hub_server.watches import routes as watch_routes
from hub_server.web.admission import Admissions
from hub_server.web.body_limits import BodyLimits
from hub_server.web.buckets import Buckets
from hub_server.web.compression import Compression
from hub_server.web.csrf import SameOriginWrites
from hub_server.web.etags import JsonEtags
from hub_server.web.hosts import KnownHosts
from hub_server.web.json_numbers import JsonNumbers
from hub_server.web.kept_lists import KeptLists
from hub_server.web.metrics import RequestMetrics
from hub_server.web.middleware import HeadRequests, LastResort, RequestIds
from hub_server.web.mirrors import ReadOnlyMirror
from hub_server.web.per_loop import PerLoop
from hub_server.web.private_answers import PrivateAnswers
from hub_server.web.problems import install_problem_handlers
from hub_server.web.rate_limits import RateLimits
from hub_server.web.renewed_sessions import RenewedSessions
from hub_server.webhooks import routes as webhook_routes

API_ROUTERS = [
    account_routes.router,
    catalog_routes.router,
    publishing_routes.router,
    journal_routes.router,
    event_routes.router,
    trusted_publishing_routes.router,
    webhook_routes.router,
    watch_routes.router,
    execution_routes.router,
    collection_routes.router,
    audit_routes.router,
    run_routes.router,
    evaluation_routes.router,
    discussion_routes.router,
    moderation_routes.router,
    ownership_routes.router,
    ops_endpoints.router,
]
# Routes are handed over as they are. ``include_router`` would build each a second time, at an application's first
# request: 0.1 s of CPU, measured with FastAPI 0.165. The application adds nothing to a route, so nothing is lost.
_ROUTES = [route for router in (*API_ROUTERS, *PAGE_ROUTERS) for route in router.routes]
_TITLE = "Verihub"
_SUMMARY = "A hub of measured environments, tools and verifiers for reinforcement learning on language models."
_API_VERSION = "1"


def create_app(services: Services) -> FastAPI:
    """The hub as an ASGI application. The caller made ``services`` and must close them."""
    metrics = RequestMetrics()
    app = _Application(
        title=_TITLE,
        summary=_SUMMARY,
        version=_API_VERSION,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        middleware=[
            Middleware(RequestIds, metrics=metrics),
            Middleware(RenewedSessions),
            Middleware(LastResort),
            Middleware(KnownHosts, hosts=services.settings.hosts),
            Middleware(
                RateLimits,
                limits=services.settings.limits,
                database=services.database,
                has_named_proxies=bool(services.settings.trusted_proxies),
                is_uncounted=partial(is_scrape, token=services.settings.metrics_token),
            ),
            Middleware(SameOriginWrites),
            Middleware(ReadOnlyMirror, origin=services.settings.mirror.of),
            Middleware(BodyLimits, limits=services.settings.limits),
            Middleware(JsonNumbers),
            Middleware(PrivateAnswers),
            Middleware(HeadRequests),
            Middleware(JsonEtags),
            Middleware(Compression),
        ],
    )
    app.state.services = services
    app.state.metrics = metrics
    app.state.journal = JournalState()
    app.state.database_gauges = DatabaseGauges(services)
    app.state.sandbox = SandboxState(services)
    app.state.admissions = PerLoop(partial(Admissions.of, services.settings.execution))
    app.state.device_polls = Buckets(rate=2 / DEVICE_POLL_SECONDS, burst=4)  # Asking twice as often is still polite.
    app.state.downloads = Buckets(1 / DOWNLOAD_COUNTS_ONCE_SECONDS, 1, lambda: services.clock.now().timestamp())
    app.state.kept_lists = KeptLists()
    app.state.authenticate = accounts.authenticate
    app.state.refuse_deleted = accounts.refuse_deleted
    app.state.render_problem = render_problem
    install_problem_handlers(app)
    app.add_exception_handler(PasswordNeededError, ask_for_proof)
    app.add_exception_handler(SecondFactorNeededError, ask_for_proof)
    app.router.routes.extend(_ROUTES)
    app.mount("/static", _HashedFiles(directory=Path(__file__).with_name("site") / "static"), name="static")
    app.router.routes.extend(short_addresses.router.routes)  # The last: they match every path of one or two words.
    return app


class _Application(FastAPI):
    """Describes its API once a process, not once an application (0.5 s of CPU): all have the same routes."""

    def openapi(self) -> dict[str, Any]:
        return _openapi()


@cache
def _openapi() -> dict[str, Any]:
    return get_openapi(title=_TITLE, summary=_SUMMARY, version=_API_VERSION, routes=_ROUTES)


class _HashedFiles(StaticFiles):
    """Static files; a URL that carries the content's hash (``?v=…``) may be kept for ever."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        has_hash = b"v=" in scope.get("query_string", b"")
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable" if has_hash else "no-cache"
        return answer

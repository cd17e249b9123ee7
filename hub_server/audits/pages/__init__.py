"""Pages about measurements: home, a package's front page and audits, counter-examples."""

from fastapi import APIRouter

from hub_server.audits.pages import cases, exports, home, reports

router = APIRouter()
for part in (home, exports, reports, cases):
    router.include_router(part.router)

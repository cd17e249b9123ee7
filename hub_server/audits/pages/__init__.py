"""Pages about measurements: home, a package's front page and audits, counter-examples."""

from fastapi import APIRouter

from hub_server.audits.pages import cases, comparing, exports, home, labelling, reports

router = APIRouter()
for part in (home, comparing, exports, labelling, reports, cases):
    router.include_router(part.router)

"""What search engines are told: which pages to leave alone, and where packages and documents are."""

from xml.sax.saxutils import escape

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from hub_server.catalog import actions
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.pages.docs.documents import KINDS
from hub_server.web.dependencies import ReadTransaction, ServicesDep, public_url

router = APIRouter(include_in_schema=False)
_LEFT_ALONE = (
    "/api/",
    "/simple/",
    "/account",
    "/login",
    "/signup",
    "/moderation",
    "/packages?",
    "/collections?",
    "/collections/new",
    "/compare?",
    "/*/diff",
)
"""Programs' addresses, forms, and lists without end."""
_MOST = 50_000
"""A sitemap holds no more (sitemaps.org)."""
_FRESH = {"Cache-Control": "max-age=3600"}


@router.get("/robots.txt")
def robots(request: Request, services: ServicesDep) -> PlainTextResponse:
    """The rules for crawlers, the same for all of them."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _LEFT_ALONE)]
    lines += ["", f"Sitemap: {public_url(request, services)}/sitemap.xml", ""]
    return PlainTextResponse("\n".join(lines), headers=_FRESH)


@router.get("/sitemap.xml")
def sitemap(request: Request, work: ReadTransaction) -> Response:
    """Documents, and every package that everybody sees."""
    base = public_url(request, work.services)
    answer: Response = request.app.state.kept_lists.answer(
        request,
        f"sitemap {base}",
        actions.newest_change(work),
        lambda: _sitemap(work, base),
        media_type="application/xml",
        headers=_FRESH,
    )
    return answer


def _sitemap(work: UnitOfWork, base: str) -> bytes:
    documents = [f"/docs/{path}" for kind in KINDS for path in kind.paths()]
    paths = ["/", "/packages", "/benchmarks", "/collections", "/docs", *documents]
    paths += [f"/packages/{package}" for package in actions.list_package_ids(work)]
    items = "".join(f"<url><loc>{escape(base + path)}</loc></url>" for path in paths[:_MOST])
    opening = '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f"{opening}{items}</urlset>".encode()

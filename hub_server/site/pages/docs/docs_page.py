"""Pages of the documents: a table of contents, one page each, and the closed list of refusals."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse

from hub_server.errors import NotFoundError
from hub_server.site.pages.docs import documents
from hub_server.site.pages.docs.api_page import operation_sections
from hub_server.site.pages.docs.doc_search import search_documents
from hub_server.site.rendering.markdown import render_markdown
from hub_server.site.rendering.templates import render
from hub_server.web.dependencies import ReadTransaction
from hub_server.web.refusals import all_refusals

router = APIRouter(include_in_schema=False)
MOST_LETTERS = 200
"""Of a question; the rest is cut off."""


@router.get("/docs")
def contents_page(request: Request, work: ReadTransaction) -> HTMLResponse:
    """The table of contents of the documents."""
    return render(request, work, "docs/contents.html", title="Docs", section="Docs", start=_start(), groups=_groups())


@router.get("/docs/search")
def search_page(request: Request, work: ReadTransaction, q: str = "") -> HTMLResponse:
    """Sections of the documents, by words."""
    asked = " ".join(q.split())[:MOST_LETTERS]
    title = f"“{asked}” in the docs" if asked else "Search the docs"
    hits = search_documents(asked, operation_sections(request.app)) if asked else []
    return render(
        request, work, "docs/search.html", title=title, section="Docs", asked=asked, hits=hits, groups=_groups()
    )


@router.get("/docs/errors")
def refusals_page(request: Request, work: ReadTransaction) -> HTMLResponse:
    """Every code that this hub refuses with; a problem's ``type`` points to one of its anchors."""
    return render(
        request,
        work,
        "docs/refusals.html",
        title="How this hub refuses",
        section="Docs",
        refusals=all_refusals(),
        groups=_groups(),
    )


@router.get("/docs/{slug:path}")
def document_page(request: Request, work: ReadTransaction, slug: str) -> Response:
    """One document; with ``.md`` at the end, as it was written."""
    document = documents.read_documents().get(slug.removesuffix(".md"))
    if document is None:
        raise NotFoundError("There is no such document: /docs lists them.")
    if slug.endswith(".md"):
        return PlainTextResponse(f"# {document.title}\n\n{document.text}\n", media_type="text/markdown; charset=utf-8")
    text = render_markdown(document.text, link_to=lambda href: documents.link_from(document.slug, href), anchors=True)
    return render(
        request,
        work,
        "docs/document.html",
        title=document.title,
        section="Docs",
        description=document.lead,
        document=document,
        text=text,
        groups=_groups(),
    )


def _start() -> documents.Document:
    return documents.read_documents()[documents.START]


def _groups() -> list[tuple[documents.Kind, list[documents.Document]]]:
    return list(documents.by_kind())

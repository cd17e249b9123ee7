"""The HTTP interface for people: every operation by subject, to be read without script and tried with it.

What is tried is sent by the reader's own browser without its cookies, and with no rights but those of a token that the
reader types: no page can make a signed-in browser change something here.
"""

from functools import lru_cache

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse

from hub_server.errors import NotFoundError
from hub_server.site.pages.docs.api_operations import Subject, curl_of, find_subject, objects_of, subjects_of
from hub_server.site.pages.docs.doc_search import Section
from hub_server.site.rendering.templates import render
from hub_server.web.dependencies import ReadTransaction, public_url

router = APIRouter(include_in_schema=False)
_JSON = "/api/v1/openapi.json"


@router.get("/docs/api")
def api_page(request: Request, work: ReadTransaction) -> HTMLResponse:
    """Every operation, by subject."""
    subjects = _subjects(request.app)
    title = "The HTTP interface"
    return render(request, work, "docs/api.html", title=title, section="Docs", json_url=_JSON, subjects=subjects)


@router.get("/docs/api/{slug}")
def subject_page(request: Request, work: ReadTransaction, slug: str) -> HTMLResponse:
    """The operations of one subject: what each takes and answers, as a command, and to be tried."""
    api = request.app.openapi()
    subjects = _subjects(request.app)
    subject = find_subject(subjects, slug)
    if subject is None:
        raise NotFoundError("The HTTP interface has no such subject: /docs/api lists them.")
    hub_url = public_url(request, work.services)
    return render(
        request,
        work,
        "docs/api_subject.html",
        title=f"HTTP interface: {subject.name}",
        section="Docs",
        json_url=_JSON,
        subject=subject,
        subjects=subjects,
        operations=[(one, curl_of(one, hub_url)) for one in subject.operations],
        objects=objects_of(api, subject),
    )


@lru_cache(1)
def _subjects(app: FastAPI) -> list[Subject]:
    """Kept: to make them from the description costs 15 ms of CPU, and it never changes."""
    return subjects_of(app.openapi())


@lru_cache(1)
def operation_sections(app: FastAPI) -> tuple[Section, ...]:
    """Every operation as a section that the search in the documents can find."""
    return tuple(
        Section(
            f"HTTP interface: {subject.name}",
            one.summary,
            f"/docs/api/{subject.slug}#{one.anchor}",
            " ".join([one.method, one.path, one.description, *(part.name for part in one.parameters)]),
        )
        for subject in _subjects(app)
        for one in subject.operations
    )

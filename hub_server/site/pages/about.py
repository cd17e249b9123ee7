"""How rates are measured."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.site.rendering.glossary import WORDS
from hub_server.site.rendering.templates import render
from hub_server.web.dependencies import ReadTransaction
from schemas.evidence.rates import Measurement
from schemas.measures.grades import grade_of
from schemas.measures.intervals import rate

router = APIRouter(include_in_schema=False)

_EXAMPLE = Measurement(tp=181, fn=9, fp=3, tn=207, unscored=0, fnr=rate(9, 190), fpr=rate(3, 210))


@router.get("/about")
def about_page(request: Request, work: ReadTransaction) -> HTMLResponse:
    """How rates are measured."""
    return render(
        request,
        work,
        "about.html",
        title="How rates are measured",
        example=_EXAMPLE,
        example_grade=grade_of(_EXAMPLE),
        words=WORDS,
    )

"""What surrounds the pages: the theme and how rates are measured."""

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.drawing.scale import grade_of, wilson
from hub_server.web.dependencies import ReadWork
from hub_server.web.glossary import WORDS
from hub_server.web.rendering import THEME_COOKIE, THEMES, render, static_url
from schemas.audit import Measurement

router = APIRouter(include_in_schema=False)
_YEAR = 365 * 24 * 3600
_EXAMPLE = Measurement(tp=181, fn=9, fp=3, tn=207, unscored=0, fnr=wilson(9, 190), fpr=wilson(3, 210))


@router.get("/favicon.ico")
def favicon() -> RedirectResponse:
    """Browsers ask here whatever the page says."""
    return RedirectResponse(static_url("mark.svg"), status_code=308)


@router.post("/theme")
def choose_theme(theme: Annotated[str, Form()], back: Annotated[str, Form()] = "/") -> Response:
    """Remember light or dark in a cookie; anything else goes back to what the system says."""
    parts = urlsplit(back)
    is_path = back.startswith("/") and not back.startswith(("//", "/\\")) and not parts.netloc and back.isprintable()
    answer = RedirectResponse(back if is_path else "/", status_code=303)
    if theme in THEMES:
        answer.set_cookie(THEME_COOKIE, theme, max_age=_YEAR, samesite="lax", path="/", httponly=True)
    else:
        answer.delete_cookie(THEME_COOKIE, path="/")
    return answer


@router.get("/about")
def about_page(request: Request, work: ReadWork) -> HTMLResponse:
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

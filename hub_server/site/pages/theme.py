"""Light or dark, and the icon."""

from typing import Annotated

from fastapi import APIRouter, Form, Response
from fastapi.responses import RedirectResponse

from hub_server.site.rendering.templates import THEME_COOKIE, THEMES, static_url

router = APIRouter(include_in_schema=False)

_YEAR = 365 * 24 * 3600  # seconds that a browser keeps the choice


@router.get("/favicon.ico")
def favicon() -> RedirectResponse:
    """The icon. Browsers request this address even if a page names another icon."""
    return RedirectResponse(static_url("mark.svg"), status_code=308)


@router.post("/theme")
def choose_theme(theme: Annotated[str, Form()], back: Annotated[str, Form()] = "/") -> Response:
    """Remember light or dark in a cookie; anything else goes back to what the system says."""
    is_path = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
    answer = RedirectResponse(back if is_path else "/", status_code=303)
    if theme in THEMES:
        answer.set_cookie(THEME_COOKIE, theme, max_age=_YEAR, samesite="lax", path="/", httponly=True)
    else:
        answer.delete_cookie(THEME_COOKIE, path="/")
    return answer

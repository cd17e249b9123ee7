"""Confirms a device's login: where ``verihub login --browser`` sends a person."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.accounts import actions
from hub_server.errors import HubServerError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.web.dependencies import ReadTransaction, WriteTransaction

router = APIRouter(include_in_schema=False)


@router.get("/device")
def device_page(request: Request, work: ReadTransaction, code: str = "") -> Response:
    """Where ``verihub login`` sends a person to type the code that the shell shows."""
    if work.caller is None:
        here = "/device" + (f"?{urlencode({'code': code})}" if code else "")
        return RedirectResponse(f"/login?{urlencode({'next': here})}", status_code=303)
    if not work.caller.is_proven:
        here = "/device" + (f"?{urlencode({'code': code})}" if code else "")
        return RedirectResponse(f"/account/proof?{urlencode({'next': here})}", status_code=303)
    return _show_device(request, work, code)


@router.post("/device")
def decide_device(
    request: Request, work: WriteTransaction, code: Annotated[str, Form()] = "", decision: Annotated[str, Form()] = ""
) -> Response:
    """Let the device in, or turn it away."""
    if work.caller is None:
        return RedirectResponse("/login?next=/device", status_code=303)
    wanted = code.strip().upper()
    try:
        name = actions.approve_device(work, wanted) if decision == "allow" else actions.deny_device(work, wanted)
    except HubServerError as error:
        return _show_device(request, work, code, problem=error.detail, status=error.status)
    said = f"{name} is signed in as {work.caller.name}." if decision == "allow" else f"{name} was turned away."
    return _show_device(request, work, "", done=f"{said} You can close this page.")


def _show_device(
    request: Request, work: UnitOfWork, code: str, *, problem: str = "", done: str = "", status: int = 200
) -> HTMLResponse:
    return render(
        request,
        work,
        "device.html",
        status=status,
        title="Let a device in",
        section="Account",
        code=code,
        problem=problem,
        done=done,
    )

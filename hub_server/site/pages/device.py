"""Confirms a device's login: where ``verihub login --browser`` sends a person."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from hub_server.accounts import actions
from hub_server.errors import HubServerError
from hub_server.kernel.caller import require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.proof import ProvenTransactionsDep
from hub_server.web.dependencies import ReadTransaction, Transactions

router = APIRouter(include_in_schema=False)
_PROOF_TITLE = "Let a command act as you for fifteen minutes"


class DeviceForm(BaseModel):
    """What a person answers to a device that waits under the code ``device``."""

    model_config = ConfigDict(frozen=True)

    device: str = Field(default="", max_length=40)
    decision: str = ""
    knows_proof: str = ""
    """Not empty: the page said that the device will act as the person."""


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
    request: Request, transactions: ProvenTransactionsDep, form: Annotated[DeviceForm, Form()]
) -> Response:
    """Let the device in, or turn it away."""
    with transactions.reading() as work:
        if work.caller is None:
            return RedirectResponse("/login?next=/device", status_code=303)
    try:
        said = _decide(transactions, form)
    except HubServerError as error:
        with transactions.reading() as work:
            return _show_device(request, work, form.device, problem=error.detail, status=error.status)
    with transactions.reading() as work:
        return _show_device(
            request, work, "", done=f"{said} You can close this page.", was_proof=bool(form.knows_proof)
        )


def _decide(transactions: Transactions, form: DeviceForm) -> str:
    wanted = form.device.strip().upper()
    if form.decision != "allow":
        with transactions.writing() as work:
            return f"{actions.deny_device(work, wanted)} was turned away."
    with transactions.writing() as work:
        name = actions.approve_device(work, wanted, knows_proof=bool(form.knows_proof))
        who = require_caller(work.caller).name
    return f"{name} may act as {who} for fifteen minutes." if form.knows_proof else f"{name} is signed in as {who}."


def _show_device(
    request: Request,
    work: UnitOfWork,
    code: str,
    *,
    problem: str = "",
    done: str = "",
    was_proof: bool = False,
    status: int = 200,
) -> HTMLResponse:
    device = actions.waiting_device(work, code)
    return render(
        request,
        work,
        "device.html",
        status=status,
        title=_PROOF_TITLE if device.asks_for_proof or was_proof else "Let a device in",
        section="Account",
        code=code,
        is_proof=device.asks_for_proof,
        name=device.name,
        factors=actions.get_second_factor(work),
        problem=problem,
        done=done,
    )

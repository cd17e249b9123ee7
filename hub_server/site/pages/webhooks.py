"""Webhooks of an owner: what there are, what was sent to each, and all that can be changed."""

from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.forms import FormRefusal, send_form
from hub_server.site.sections.proof import ProvenTransaction, ProvenTransactionsDep, proof_first
from hub_server.web.dependencies import ReadTransaction, TransactionsDep
from hub_server.webhooks import actions
from hub_server.webhooks.rules.addresses import why_not_url
from schemas.events import EventKind
from schemas.webhooks import WebhookCreate, WebhookSecret

router = APIRouter(include_in_schema=False)


class WebhookForm(BaseModel):
    """What was typed of a new webhook. No ``events``: all kinds."""

    model_config = ConfigDict(frozen=True)

    url: str = ""
    package: str = ""
    events: list[str] = []


@router.get("/owners/{owner}/webhooks")
def webhooks_page(request: Request, work: ReadTransaction, owner: str) -> Response:
    """All webhooks of an owner, and the form for another."""
    return proof_first(work, f"/owners/{quote(owner)}/webhooks") or _show_list(request, work, owner, WebhookForm())


@router.post("/owners/{owner}/webhooks")
def add_webhook(
    request: Request, transactions: ProvenTransactionsDep, owner: str, form: Annotated[WebhookForm, Form()]
) -> Response:
    """Add one and show its secret, this once. A refusal comes back with everything that was typed."""

    def add() -> Response:
        with transactions.writing() as work:
            made = actions.add_webhook(work, _read(owner, form))
        with transactions.reading() as work:
            return _show_list(request, work, owner, WebhookForm(), fresh=made)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return _show_list(request, work, owner, form, problem=refusal.problem, status=refusal.status)

    return send_form(add, show)


def _read(owner: str, form: WebhookForm) -> WebhookCreate:
    try:
        return WebhookCreate(
            owner=owner,
            package=form.package.strip() or None,
            url=form.url.strip(),
            events=[EventKind(kind) for kind in form.events],
        )
    except (ValidationError, ValueError):
        fault = why_not_url(form.url.strip()) or "Write the package as owner/name, and the address as https://…"
        raise InvalidRequestError(fault) from None


@router.get("/webhooks/{webhook_id}")
def webhook_page(request: Request, work: ReadTransaction, webhook_id: str, cursor: str | None = None) -> Response:
    """One webhook with its log."""
    return proof_first(work, f"/webhooks/{quote(webhook_id)}") or _show_one(request, work, webhook_id, cursor=cursor)


@router.post("/webhooks/{webhook_id}/remove")
def remove_webhook(work: ProvenTransaction, webhook_id: str) -> Response:
    """Remove it, and go back to the list."""
    owner = actions.get_webhook(work, webhook_id).owner
    actions.remove_webhook(work, webhook_id)
    return RedirectResponse(f"/owners/{quote(owner)}/webhooks", status_code=303)


@router.post("/webhooks/{webhook_id}/secret")
def rotate_secret(request: Request, work: ProvenTransaction, webhook_id: str) -> HTMLResponse:
    """Another secret, shown this once."""
    made = actions.rotate_secret(work, webhook_id)
    return _show_one(request, work, webhook_id, fresh=made)


@router.post("/webhooks/{webhook_id}/enable")
def enable_webhook(work: ProvenTransaction, webhook_id: str) -> Response:
    """Switch it on."""
    actions.enable_webhook(work, webhook_id)
    return RedirectResponse(f"/webhooks/{quote(webhook_id)}", status_code=303)


@router.post("/webhooks/{webhook_id}/test")
def send_test(request: Request, transactions: TransactionsDep, webhook_id: str) -> Response:
    """Send a test message."""
    return _sent(request, transactions, webhook_id, None)


@router.post("/webhooks/{webhook_id}/deliveries/{delivery_id}/again")
def send_again(request: Request, transactions: TransactionsDep, webhook_id: str, delivery_id: str) -> Response:
    """Send a message again."""
    return _sent(request, transactions, webhook_id, delivery_id)


def _sent(request: Request, transactions: TransactionsDep, webhook_id: str, delivery_id: str | None) -> Response:
    """Queue a message and show the log; a refusal is shown above it."""
    try:
        with transactions.writing() as work:
            if delivery_id is None:
                actions.queue_test(work, webhook_id)
            else:
                actions.send_again(work, webhook_id, delivery_id)
    except InvalidRequestError as error:
        with transactions.reading() as work:
            return _show_one(request, work, webhook_id, problem=error.detail, status=error.status)
    return RedirectResponse(f"/webhooks/{quote(webhook_id)}", status_code=303)


def _show_list(
    request: Request,
    work: UnitOfWork,
    owner: str,
    form: WebhookForm,
    *,
    fresh: WebhookSecret | None = None,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    answer = render(
        request,
        work,
        "webhooks.html",
        status=status,
        title=f"Webhooks of {owner}",
        section="Account",
        owner=owner,
        webhooks=actions.list_webhooks(work, owner),
        kinds=[kind.value for kind in EventKind],
        form=form,
        fresh=fresh,
        problem=problem,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _show_one(
    request: Request,
    work: UnitOfWork,
    webhook_id: str,
    *,
    cursor: str | None = None,
    fresh: WebhookSecret | None = None,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    page = actions.list_deliveries(work, webhook_id, cursor=cursor)
    here = f"/webhooks/{quote(webhook_id)}"
    answer = render(
        request,
        work,
        "webhook.html",
        status=status,
        title="Webhook",
        section="Account",
        webhook=actions.get_webhook(work, webhook_id),
        deliveries=page.items,
        next_url=f"{here}?{urlencode({'cursor': page.next})}" if page.next else None,
        fresh=fresh,
        problem=problem,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer

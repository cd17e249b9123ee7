"""Webhooks over HTTP."""

from fastapi import APIRouter, Response

from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from hub_server.web.openapi import PROBLEMS
from hub_server.webhooks import actions
from schemas.page import Page
from schemas.webhooks import Delivery, Webhook, WebhookCreate, WebhookSecret

router = APIRouter(prefix="/api/v1", tags=["webhooks"], responses=PROBLEMS)


@router.post("/webhooks", status_code=201, summary="Have events sent to an address; shows the secret once")
def add_webhook(body: WebhookCreate, work: WriteTransaction, response: Response) -> WebhookSecret:
    response.headers["Cache-Control"] = "no-store"
    return actions.add_webhook(work, body)


@router.get("/webhooks", summary="The webhooks of an owner")
def list_webhooks(owner: str, work: ReadTransaction) -> Page[Webhook]:
    return Page[Webhook](items=actions.list_webhooks(work, owner))


@router.get("/webhooks/{webhook_id}", summary="A webhook")
def read_webhook(webhook_id: str, work: ReadTransaction) -> Webhook:
    return actions.get_webhook(work, webhook_id)


@router.delete("/webhooks/{webhook_id}", status_code=204, summary="Remove a webhook")
def remove_webhook(webhook_id: str, work: WriteTransaction) -> None:
    actions.remove_webhook(work, webhook_id)


@router.post("/webhooks/{webhook_id}/secret", summary="Give a webhook another secret; shows it once")
def rotate_secret(webhook_id: str, work: WriteTransaction, response: Response) -> WebhookSecret:
    response.headers["Cache-Control"] = "no-store"
    return actions.rotate_secret(work, webhook_id)


@router.post("/webhooks/{webhook_id}/enable", summary="Switch a webhook on again")
def enable_webhook(webhook_id: str, work: WriteTransaction) -> Webhook:
    return actions.enable_webhook(work, webhook_id)


@router.post("/webhooks/{webhook_id}/test", status_code=202, summary="Send a test message to a webhook")
def test_webhook(webhook_id: str, work: WriteTransaction) -> Delivery:
    return actions.queue_test(work, webhook_id)


@router.get("/webhooks/{webhook_id}/deliveries", summary="What was sent to a webhook, newest first")
def list_deliveries(
    webhook_id: str, work: ReadTransaction, cursor: str | None = None, limit: int = 50
) -> Page[Delivery]:
    return actions.list_deliveries(work, webhook_id, cursor=cursor, limit=limit)


@router.post("/webhooks/{webhook_id}/deliveries/{delivery_id}/again", status_code=202, summary="Send a message again")
def send_again(webhook_id: str, delivery_id: str, work: WriteTransaction) -> Delivery:
    return actions.send_again(work, webhook_id, delivery_id)

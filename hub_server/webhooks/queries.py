"""Every SQL statement about webhooks."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from hub_server.webhooks.models import DeliveryRow, WebhookRow
from schemas.webhooks import DeliveryState


def find_webhook(session: Session, webhook_id: str, *, lock: bool = False) -> WebhookRow | None:
    """One webhook, or None. ``lock``: nobody else changes it until this transaction ends."""
    statement = select(WebhookRow).where(WebhookRow.id == webhook_id)
    return session.scalar(statement.with_for_update() if lock else statement)


def webhooks_of(session: Session, owner: str) -> list[WebhookRow]:
    """All webhooks of an owner, oldest first. There are few: ``rules.MOST_OF_OWNER``."""
    return list(session.scalars(select(WebhookRow).where(WebhookRow.owner == owner).order_by(WebhookRow.id)))


def listening(session: Session, owners: Collection[str]) -> list[WebhookRow]:
    """The webhooks of these owners that are switched on."""
    statement = select(WebhookRow).where(WebhookRow.owner.in_(sorted(owners)), WebhookRow.disabled_reason == "")
    return list(session.scalars(statement.order_by(WebhookRow.id)))


def count_deliveries(session: Session) -> dict[str, int]:
    """Messages that the log remembers, by state."""
    return dict(session.execute(select(DeliveryRow.state, func.count()).group_by(DeliveryRow.state)).all())


def count_webhooks(session: Session) -> dict[str, int]:
    """Webhooks that are switched on, and those that are off."""
    count = select(func.count()).select_from(WebhookRow)
    on = session.scalar(count.where(WebhookRow.disabled_reason == "")) or 0
    return {"on": on, "off": (session.scalar(count) or 0) - on}


def find_delivery(session: Session, delivery_id: str, *, lock: bool = False) -> DeliveryRow | None:
    """One delivery, or None."""
    statement = select(DeliveryRow).where(DeliveryRow.id == delivery_id)
    return session.scalar(statement.with_for_update() if lock else statement)


def count_waiting(session: Session, webhook_ids: Collection[str]) -> dict[str, int]:
    """How many messages of each webhook wait for a try; a webhook without any is left out."""
    waits = DeliveryRow.state == DeliveryState.WAITING.value
    statement = select(DeliveryRow.webhook_id, func.count()).where(DeliveryRow.webhook_id.in_(webhook_ids), waits)
    return {row[0]: row[1] for row in session.execute(statement.group_by(DeliveryRow.webhook_id))}


def page_of_deliveries(session: Session, webhook_id: str, before: str | None, limit: int) -> list[DeliveryRow]:
    """Deliveries of a webhook, newest first, older than the id ``before``."""
    statement = select(DeliveryRow).where(DeliveryRow.webhook_id == webhook_id)
    if before is not None:
        statement = statement.where(DeliveryRow.id < before)
    return list(session.scalars(statement.order_by(DeliveryRow.id.desc()).limit(limit)))


def fail_waiting(session: Session, webhook_id: str, note: str) -> None:
    """What waits for a try is not tried any more."""
    waits = DeliveryRow.state == DeliveryState.WAITING.value
    failed = update(DeliveryRow).where(DeliveryRow.webhook_id == webhook_id, waits)
    session.execute(failed.values(state=DeliveryState.FAILED.value, note=note, next_try_at=None))


def remove_webhook(session: Session, row: WebhookRow) -> None:
    """Delete a webhook with its log and secrets."""
    session.execute(delete(DeliveryRow).where(DeliveryRow.webhook_id == row.id))
    session.delete(row)


def forget_before(session: Session, moment: datetime, now: datetime) -> None:
    """Delete deliveries that ended long ago, and former secrets that no longer sign."""
    ended = DeliveryRow.state != DeliveryState.WAITING.value
    session.execute(delete(DeliveryRow).where(DeliveryRow.created_at < moment, ended))
    over = select(WebhookRow).where(WebhookRow.former_secret_until < now)
    for row in session.scalars(over):
        row.former_secret = row.former_secret_until = None

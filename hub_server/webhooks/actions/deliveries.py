"""Messages: made when something happened, tried by the worker until they arrive or are given up, kept in a log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hub_server.accounts import actions as accounts
from hub_server.database.base import new_id
from hub_server.database.events import EventRow
from hub_server.events.actions import event_of
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.webhooks import queries
from hub_server.webhooks.actions.registration import own_row
from hub_server.webhooks.errors import WebhookNotFoundError, WebhookRefusedError
from hub_server.webhooks.models import DeliveryRow, WebhookRow
from hub_server.webhooks.rules.bodies import body_of, body_of_test
from hub_server.webhooks.rules.limits import KEPT, MOST_WAITING
from hub_server.webhooks.rules.retries import is_accepted, pause_after, why_disabled
from hub_server.webhooks.rules.signatures import headers_of
from schemas.events import Event
from schemas.page import Page
from schemas.webhooks import TEST, Delivery, DeliveryState


@dataclass(frozen=True)
class WebhookMessage:
    """One try of a delivery, ready to be sent without a transaction."""

    url: str
    headers: Mapping[str, str]
    body: bytes


def queue_deliveries(work: UnitOfWork, rows: Sequence[EventRow]) -> None:
    """For the worker, which follows events: a message to every webhook that listens to one of them."""
    webhooks = queries.listening(work.session, {row.owner for row in rows})
    for webhook in webhooks:
        if not accounts.may_publish_for(work, webhook.created_by, webhook.owner):
            _disable(work, webhook, f"{webhook.created_by}, who answers for it, may act for {webhook.owner} no more.")
    waiting = queries.count_waiting(work.session, [webhook.id for webhook in webhooks])
    for row in rows:
        for webhook in webhooks:
            if not _listens(webhook, row):
                continue
            waiting[webhook.id] = waiting.get(webhook.id, 0) + 1
            if waiting[webhook.id] > MOST_WAITING:
                _disable(
                    work, webhook, f"{MOST_WAITING} messages wait: read GET /api/v1/events, and switch it on again."
                )
            else:
                event = event_of(row)
                _add(work, webhook, event.kind.value, _subject(event), body_of(event))


def _listens(webhook: WebhookRow, row: EventRow) -> bool:
    return (
        not webhook.disabled_reason
        and webhook.owner == row.owner
        and webhook.package_id in (None, row.package_id)
        and (not webhook.events or row.kind in webhook.events)
    )


def _subject(event: Event) -> str:
    if event.package is None:
        return event.run or event.owner
    return f"{event.package}@{event.version}" if event.version else event.package


def queue_test(work: UnitOfWork, webhook_id: str) -> Delivery:
    """A message of the type ``webhook.test``, to see whether the receiver takes it."""
    row = own_row(work, webhook_id, lock=True)
    _refuse_disabled(row)
    if queries.count_waiting(work.session, [row.id]).get(row.id, 0) >= MOST_WAITING:
        raise WebhookRefusedError("Too many messages are waiting already.")
    return delivery_of(_add(work, row, TEST, row.id, body_of_test(row.id, work.now)))


def send_again(work: UnitOfWork, webhook_id: str, delivery_id: str) -> Delivery:
    """Send a message again that arrived or was given up; it keeps its id. Raises ``WebhookRefusedError``."""
    webhook = own_row(work, webhook_id, lock=True)
    row = queries.find_delivery(work.session, delivery_id, lock=True)
    if row is None or row.webhook_id != webhook.id:
        raise WebhookNotFoundError(f"This webhook has no delivery {delivery_id!r}.")
    _refuse_disabled(webhook)
    if row.state == DeliveryState.WAITING:
        raise WebhookRefusedError("It is still being tried: the log says when the next time is.")
    row.state, row.attempts, row.next_try_at = DeliveryState.WAITING.value, 0, work.now
    _queue(work, webhook, row)
    return delivery_of(row)


def _refuse_disabled(row: WebhookRow) -> None:
    if row.disabled_reason:
        raise WebhookRefusedError(f"This webhook is switched off: {row.disabled_reason} Switch it on first.")


def _add(work: UnitOfWork, webhook: WebhookRow, kind: str, subject: str, body: str) -> DeliveryRow:
    now = work.now
    row = DeliveryRow(
        id=new_id(now),
        webhook_id=webhook.id,
        type=kind,
        subject=subject,
        body=body,
        state=DeliveryState.WAITING.value,
        created_at=now,
        attempts=0,
        next_try_at=now,
    )
    work.session.add(row)
    work.session.flush()
    _queue(work, webhook, row)
    return row


def _queue(work: UnitOfWork, webhook: WebhookRow, row: DeliveryRow, delay_seconds: float = 0) -> None:
    """The job counts as its owner's, whoever caused the event: a slow receiver delays its owner's other messages."""
    theirs = replace(work, caller=None, on_behalf_of=webhook.owner)
    theirs.queue(JobName.DELIVER_WEBHOOK, {"delivery": row.id}, delay_seconds=delay_seconds)


def write_message(work: UnitOfWork, delivery_id: str) -> WebhookMessage | None:
    """In a job: what to send now, signed now. None: it has gone, has arrived, or nothing is sent there any more."""
    row = queries.find_delivery(work.session, delivery_id)
    webhook = queries.find_webhook(work.session, row.webhook_id) if row is not None else None
    if row is None or webhook is None or row.state != DeliveryState.WAITING or webhook.disabled_reason:
        return None
    owner = accounts.find_any_account(work, webhook.owner)
    if owner is None or owner.suspended_reason is not None:
        return None
    if not accounts.may_publish_for(work, webhook.created_by, webhook.owner):
        return None
    keys = [webhook.secret]
    if webhook.former_secret and webhook.former_secret_until and webhook.former_secret_until > work.now:
        keys.append(webhook.former_secret)
    return WebhookMessage(webhook.url, headers_of(row.id, work.now, row.body, keys), row.body.encode())


def record_attempt(work: UnitOfWork, delivery_id: str, status: int | None, note: str) -> None:
    """In a job: what became of a try (``status`` None: no answer), and when the next one is."""
    row = queries.find_delivery(work.session, delivery_id, lock=True)
    webhook = queries.find_webhook(work.session, row.webhook_id, lock=True) if row is not None else None
    if row is None or webhook is None:
        return
    row.attempts += 1
    row.tried_at, row.status, row.note, row.next_try_at = work.now, status, note, None
    if status is not None and is_accepted(status):
        row.state, webhook.failing_since = DeliveryState.DELIVERED.value, None
        return
    webhook.failing_since = webhook.failing_since or work.now
    if reason := why_disabled(status, webhook.failing_since, work.now):
        _disable(work, webhook, reason)
    pause = pause_after(row.attempts)
    if pause is None or webhook.disabled_reason:
        row.state = DeliveryState.FAILED.value
        row.note = note
    else:
        row.next_try_at = work.now + pause
        _queue(work, webhook, row, pause.total_seconds())


def give_up(work: UnitOfWork, delivery_id: str, note: str = "Nothing is sent for this owner now.") -> None:
    """In a job that sends nothing: say so of its message, if it waits."""
    row = queries.find_delivery(work.session, delivery_id, lock=True)
    if row is not None and row.state == DeliveryState.WAITING:
        row.state, row.note, row.next_try_at = DeliveryState.FAILED.value, note, None


def _disable(work: UnitOfWork, webhook: WebhookRow, reason: str) -> None:
    """Switch a webhook off, and mail who answers for it and who decides for its owner, where the hub sends mail."""
    if not webhook.disabled_reason:
        webhook.disabled_reason = reason
        work.session.flush()
        queries.fail_waiting(work.session, webhook.id, "The webhook was switched off.")
        told = {webhook.created_by, *accounts.governors_of(work, webhook.owner)}
        may_know = [name for name in told if accounts.may_publish_for(work, name, webhook.owner)]
        accounts.queue_notices(work, "webhook_disabled", may_know, thing=webhook.owner, other=webhook.url)


def list_deliveries(work: UnitOfWork, webhook_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[Delivery]:
    """What was sent to a webhook in the last 30 days, newest first."""
    webhook = own_row(work, webhook_id)
    after = decode_cursor(cursor, "deliveries", str)
    rows = queries.page_of_deliveries(work.session, webhook.id, after[0] if after else None, check_limit(limit) + 1)
    more = encode_cursor("deliveries", rows[limit - 1].id) if len(rows) > limit else None
    return Page[Delivery](items=[delivery_of(row) for row in rows[:limit]], next=more)


def count_deliveries(work: UnitOfWork) -> dict[str, int]:
    """Messages of the last thirty days by state, for whoever runs the hub."""
    return queries.count_deliveries(work.session)


def count_webhooks(work: UnitOfWork) -> dict[str, int]:
    """How many webhooks are switched on, and how many off."""
    return queries.count_webhooks(work.session)


def forget_old_deliveries(work: UnitOfWork) -> None:
    """Delete what the log keeps no longer, and former secrets. Called by the worker."""
    queries.forget_before(work.session, work.now - KEPT, work.now)


def delivery_of(row: DeliveryRow) -> Delivery:
    """A row as the API shows it."""
    fields = {name: getattr(row, name) for name in Delivery.model_fields}
    return Delivery.read({**fields, "state": DeliveryState(row.state)})

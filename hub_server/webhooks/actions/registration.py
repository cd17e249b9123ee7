"""Add, change and remove webhooks: for those who may publish in the owner's name, with the password just typed.

Messages may contain what is private, so whatever changes where they go, or shows a secret, needs the second factor too.
"""

from hub_server.accounts import actions as accounts
from hub_server.database.base import new_id
from hub_server.database.visibility import owner_of
from hub_server.kernel.caller import Caller, require_owner, require_password
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.webhooks import queries
from hub_server.webhooks.errors import WebhookNotFoundError, WebhookRefusedError
from hub_server.webhooks.models import WebhookRow
from hub_server.webhooks.rules.addresses import why_not_url
from hub_server.webhooks.rules.limits import MOST_OF_OWNER
from hub_server.webhooks.rules.signatures import OVERLAP, new_secret
from schemas.account import Scope
from schemas.events import EventKind
from schemas.webhooks import Webhook, WebhookCreate, WebhookSecret


def add_webhook(work: UnitOfWork, body: WebhookCreate) -> WebhookSecret:
    """Send what happens to a package, or to all of an owner, to an address. The secret is shown this once.

    The package need not exist yet. Raises ``WebhookRefusedError``.
    """
    accounts.require_proof(work)
    caller = _require_webhook_owner(work, body.owner)
    if body.package is not None and owner_of(work.session, body.package) != body.owner:
        raise WebhookRefusedError(f"{body.package} is not a package of {body.owner}.")
    if fault := why_not_url(body.url) or work.services.outgoing.why_not(body.url):
        raise WebhookRefusedError(fault)
    accounts.check_not_blocked(work, body.owner, body.package or body.owner)
    if len(queries.webhooks_of(work.session, body.owner)) >= MOST_OF_OWNER:
        raise WebhookRefusedError(f"{body.owner} has {MOST_OF_OWNER} webhooks, which is the most: remove one first.")
    row = WebhookRow(
        id=new_id(work.now),
        owner=body.owner,
        package_id=body.package,
        url=body.url,
        events=sorted({kind.value for kind in body.events}),
        secret=new_secret(),
        created_by=caller.name,
        created_at=work.now,
    )
    work.session.add(row)
    work.session.flush()
    return WebhookSecret(webhook=webhook_of(row), secret=row.secret)


def list_webhooks(work: UnitOfWork, owner: str) -> list[Webhook]:
    """The webhooks of an owner, for who may publish in its name. No secrets."""
    _require_webhook_owner(work, owner)
    return [webhook_of(row) for row in queries.webhooks_of(work.session, owner)]


def get_webhook(work: UnitOfWork, webhook_id: str) -> Webhook:
    """One webhook. Raises ``WebhookNotFoundError``."""
    return webhook_of(own_row(work, webhook_id))


def remove_webhook(work: UnitOfWork, webhook_id: str) -> None:
    """Send nothing more there, and forget what was sent."""
    queries.remove_webhook(work.session, _proven_row(work, webhook_id))


def rotate_secret(work: UnitOfWork, webhook_id: str) -> WebhookSecret:
    """Another secret. For a day messages are signed with the former one too, so that the receiver can change over."""
    row = _proven_row(work, webhook_id)
    row.former_secret, row.former_secret_until = row.secret, work.now + OVERLAP
    row.secret = new_secret()
    return WebhookSecret(webhook=webhook_of(row), secret=row.secret)


def enable_webhook(work: UnitOfWork, webhook_id: str) -> Webhook:
    """Send again to a webhook that was switched off. What happened meanwhile is not sent.

    The caller answers for it from now on: who did may have left.
    """
    row = _proven_row(work, webhook_id)
    row.disabled_reason, row.failing_since = "", None
    row.created_by = _require_webhook_owner(work, row.owner).name
    return webhook_of(row)


def _require_webhook_owner(work: UnitOfWork, owner: str) -> Caller:
    """The caller, if it may see the webhooks of ``owner``."""
    require_password(work.caller)
    return require_owner(work.caller, owner, Scope.PUBLISH)


def own_row(work: UnitOfWork, webhook_id: str, *, lock: bool = False) -> WebhookRow:
    """The row of a webhook of the caller's. Raises ``WebhookNotFoundError``: whose it is, is told to nobody else."""
    caller = require_password(work.caller)
    row = queries.find_webhook(work.session, webhook_id, lock=lock)
    if row is None or not caller.owns(row.owner):
        raise WebhookNotFoundError(f"You have no webhook {webhook_id!r}.")
    _require_webhook_owner(work, row.owner)
    return row


def _proven_row(work: UnitOfWork, webhook_id: str) -> WebhookRow:
    """As :func:`own_row`, locked, for who has proved who it is for this act."""
    accounts.require_proof(work)
    return own_row(work, webhook_id, lock=True)


def webhook_of(row: WebhookRow) -> Webhook:
    """A row as the API shows it."""
    return Webhook(
        id=row.id,
        owner=row.owner,
        package=row.package_id,
        url=row.url,
        events=[EventKind(kind) for kind in row.events],
        created_by=row.created_by,
        created_at=row.created_at,
        disabled_reason=row.disabled_reason,
        failing_since=row.failing_since,
        former_secret_until=row.former_secret_until,
    )

"""The log: every act of a moderator or an operator is one row, which nobody changes."""

from hub_server.accounts import actions as accounts
from hub_server.database.base import new_id
from hub_server.errors import InvalidRequestError
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import queries
from hub_server.moderation.models import ModerationEventRow
from schemas.moderation import ModerationAction, ModerationEvent
from schemas.page import Page


def require_reason(reason: str, act: str) -> str:
    """``reason``, stripped. Raises ``InvalidRequestError`` where it is empty."""
    if not reason.strip():
        raise InvalidRequestError(f"{act} needs a reason that readers of the page can understand.")
    return reason.strip()


def note_act(  # noqa: PLR0913 -- one parameter a column
    work: UnitOfWork,
    action: ModerationAction,
    reason: str,
    *,
    package_id: str | None = None,
    version: str | None = None,
    case_id: str = "",
    account: str = "",
    collection: str = "",
    discussion: str = "",
    post: int | None = None,
) -> None:
    """Write down what the calling moderator does, in the transaction that does it.

    Every act passes here. Raises ``NotAllowedError``, ``PasswordNeededError``.
    """
    moderator = accounts.require_proven_moderator(work)
    now = work.now
    work.session.add(
        ModerationEventRow(
            id=new_id(now),
            at=now,
            actor=moderator.name,
            action=action,
            package_id=package_id,
            version=version,
            reason=reason,
            case_id=case_id,
            account=account,
            collection=collection,
            discussion=discussion,
            post=post,
        )
    )
    work.session.flush()


def list_events(
    work: UnitOfWork,
    *,
    package: str | None = None,
    account: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[ModerationEvent]:
    """What moderators and operators did, newest first, for everybody to see."""
    after = decode_cursor(cursor, "events", str)
    rows = queries.page_of_events(work.session, package, account, after[0] if after else None, check_limit(limit) + 1)
    more = encode_cursor("events", rows[limit - 1].id) if len(rows) > limit else None
    return Page[ModerationEvent](items=[_event_of(row) for row in rows[:limit]], next=more)


def _event_of(row: ModerationEventRow) -> ModerationEvent:
    fields = {name: getattr(row, name) for name in ModerationEvent.model_fields if name != "package"}
    return ModerationEvent.read({**fields, "package": row.package_id})

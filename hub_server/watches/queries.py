"""Every SQL statement about watches. News are spread by statements over sets: any number of people may watch."""

from contextlib import suppress
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    and_,
    case,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    union,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hub_server.accounts.models import AccountRow
from hub_server.accounts.queries.accounts import hidden_names
from hub_server.database.base import Base
from hub_server.database.events import EventRow
from hub_server.watches.models import DiscussionWatchRow, NewsRow, WatcherRow, WatchRow
from schemas.events import EventKind
from schemas.watches import MailPace


def watches_of(session: Session, account_id: str) -> list[WatchRow]:
    """All that an account watches."""
    wanted = select(WatchRow).where(WatchRow.account_id == account_id)
    return list(session.scalars(wanted.order_by(WatchRow.owner, WatchRow.package_id)))


def find_watch(session: Session, account_id: str, owner: str, package_id: str) -> WatchRow | None:
    """One watch, or None."""
    return session.get(WatchRow, (account_id, owner, package_id))


def count_watches(session: Session, account_id: str) -> int:
    """How much an account watches."""
    wanted = select(func.count()).select_from(WatchRow).where(WatchRow.account_id == account_id)
    return session.scalar(wanted) or 0


def find_watcher(session: Session, account_id: str, *, lock: bool = False) -> WatcherRow | None:
    """How an account is told, or None where it never watched anything."""
    wanted = select(WatcherRow).where(WatcherRow.account_id == account_id)
    return session.scalar(wanted.with_for_update() if lock else wanted)


def find_watcher_of_code(session: Session, code: str) -> WatcherRow | None:
    """Whose mails a link ends, or None."""
    return session.scalar(select(WatcherRow).where(WatcherRow.unsubscribe_code == code))


def find_discussion_watch(session: Session, account_id: str, discussion_id: str) -> DiscussionWatchRow | None:
    """That an account follows a discussion, or None."""
    return session.get(DiscussionWatchRow, (account_id, discussion_id))


def add_if_absent(session: Session, row: Base) -> None:
    """Insert a row, unless somebody else was faster; then only this insert is rolled back."""
    with suppress(IntegrityError), session.begin_nested():
        session.add(row)


def add_news(session: Session, event: EventRow, soon: datetime) -> None:
    """Note ``event`` for everybody who watches it, and when to mail them: ``soon``, or a while after the last mail.

    Of a discussion, whoever watches the package hears that it begins; replies are for those who follow it.
    """
    wanted: ColumnElement[bool] = and_(WatchRow.owner == event.owner, WatchRow.package_id == "")
    if event.package_id is not None:  # whoever owns it now
        wanted = or_(wanted, WatchRow.package_id == event.package_id)
    found: Select[Any] | CompoundSelect[Any] = select(WatchRow.account_id).where(wanted)
    if (discussion := event.facts.get("discussion")) is not None:
        following = select(DiscussionWatchRow.account_id).where(DiscussionWatchRow.discussion_id == discussion)
        found = following if event.kind == EventKind.DISCUSSION_REPLIED else union(found, following)
    watching = select(WatcherRow.account_id).where(
        WatcherRow.account_id.in_(found), WatcherRow.pace != MailPace.NEVER.value
    )
    if (by := event.facts.get("by")) is not None:  # nobody is told what they did themselves
        watching = watching.where(WatcherRow.account_id.not_in(select(AccountRow.id).where(AccountRow.name == by)))
    news = watching.add_columns(literal(event.number))
    session.execute(insert(NewsRow).from_select(["account_id", "event_number"], news))
    at = case((WatcherRow.earliest_at > soon, WatcherRow.earliest_at), else_=literal(soon, WatcherRow.earliest_at.type))
    due = update(WatcherRow).where(WatcherRow.next_mail_at.is_(None), WatcherRow.account_id.in_(watching))
    session.execute(due.values(next_mail_at=at), execution_options={"synchronize_session": False})


def has_due(session: Session, now: datetime) -> bool:
    """Whether somebody is to be mailed now."""
    return session.scalar(select(WatcherRow.account_id).where(WatcherRow.next_mail_at <= now).limit(1)) is not None


def due_watchers(session: Session, now: datetime, limit: int) -> list[WatcherRow]:
    """Who is to be mailed now, longest waiting first. What another process looks at is left to it."""
    due = select(WatcherRow).where(WatcherRow.next_mail_at <= now).order_by(WatcherRow.next_mail_at).limit(limit)
    return list(session.scalars(due.with_for_update(skip_locked=True)))


def news_of(session: Session, account_id: str, limit: int, each: int) -> list[EventRow]:
    """Events that wait for an account's mail, in order, the first ``each`` of every owner.

    Of what is private those that the session sees; nothing of accounts that are hidden, or that they did.
    """
    by = func.coalesce(EventRow.facts["by"].as_string(), "")
    place = func.row_number().over(partition_by=EventRow.owner, order_by=EventRow.number)
    waiting = select(EventRow.number, place.label("place")).join(NewsRow, NewsRow.event_number == EventRow.number)
    shown = waiting.where(EventRow.owner.not_in(hidden_names()), by.not_in(hidden_names()))
    first = shown.where(NewsRow.account_id == account_id).subquery()
    wanted = select(EventRow).join(first, first.c.number == EventRow.number).where(first.c.place <= each)
    return list(session.scalars(wanted.order_by(EventRow.number).limit(limit)))


def newest_news(session: Session, account_id: str) -> int:
    """The number of the newest event that waits; 0 for none. The session must see everything."""
    return session.scalar(select(func.max(NewsRow.event_number)).where(NewsRow.account_id == account_id)) or 0


def forget_news(session: Session, account_id: str, until: int | None = None) -> None:
    """Delete what was mailed: events up to a number, or (None) all."""
    old = delete(NewsRow).where(NewsRow.account_id == account_id)
    session.execute(old if until is None else old.where(NewsRow.event_number <= until))


def forget_news_before(session: Session, moment: datetime) -> None:
    """Delete news of events that are older than ``moment``."""
    old = select(EventRow.number).where(EventRow.at < moment)
    session.execute(delete(NewsRow).where(NewsRow.event_number.in_(old)))

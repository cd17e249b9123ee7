"""Tables of webhooks and of what was sent."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class WebhookRow(Base):
    """A webhook (``schemas.webhooks``). ``package_id`` None: all that ``owner`` has.

    It refers to no package by a foreign key: only its owner ever sees it, whatever may be private.
    """

    __tablename__ = "webhooks"
    __table_args__ = (Index("ix_webhooks_owner", "owner"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    owner: Mapped[str]
    package_id: Mapped[str | None]
    url: Mapped[str]
    events: Mapped[list[str]]
    """Kinds; empty: all."""
    secret: Mapped[str]
    """It cannot be a hash: the hub signs with it."""
    former_secret: Mapped[str | None]
    former_secret_until: Mapped[datetime | None]
    created_by: Mapped[str]
    created_at: Mapped[datetime]
    disabled_reason: Mapped[str] = mapped_column(default="")
    failing_since: Mapped[datetime | None]


class DeliveryRow(Base):
    """One message to one webhook. ``body`` is exactly what is sent, at every try."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        Index("ix_webhook_deliveries_webhook_id_id", "webhook_id", "id"),
        Index("ix_webhook_deliveries_webhook_id_state", "webhook_id", "state"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    webhook_id: Mapped[str] = mapped_column(ForeignKey("webhooks.id"))
    type: Mapped[str]
    subject: Mapped[str]
    body: Mapped[str]
    state: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(index=True)
    attempts: Mapped[int] = mapped_column(default=0)
    """Tries since it was sent, or sent again."""
    tried_at: Mapped[datetime | None]
    next_try_at: Mapped[datetime | None]
    status: Mapped[int | None]
    note: Mapped[str] = mapped_column(default="")

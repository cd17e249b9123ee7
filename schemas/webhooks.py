"""Webhooks: an address that a hub sends events to, and what became of each delivery."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from schemas.base import WireModel
from schemas.events import EventKind
from schemas.names import PackageId

TEST = "webhook.test"
"""The type of a delivery that somebody asked for to try a webhook."""
Url = Annotated[str, StringConstraints(pattern=r"^https?://[!-~]+$", max_length=2000)]


class WebhookCreate(WireModel):
    """Where to send what happens to a package (None: to everything of ``owner``). No ``events``: all kinds."""

    owner: str = Field(max_length=100)
    package: PackageId | None = None
    url: Url
    events: list[EventKind] = Field(default_factory=list, max_length=len(EventKind))


class Webhook(WebhookCreate):
    """A webhook as it stands. ``disabled_reason``: why nothing is sent any more; empty while it is.

    ``created_by`` answers for it: who added it, or was the last to switch it on. It is switched off once that account
    may not act for the owner any more.
    """

    id: str
    created_by: str
    created_at: datetime
    disabled_reason: str = ""
    failing_since: datetime | None = None
    """When the first delivery failed since the last one that arrived; None: the last one arrived."""
    former_secret_until: datetime | None = None
    """Until when messages are signed with the former secret too."""


class WebhookSecret(WireModel):
    """A webhook and the secret that its messages are signed with (``whsec_…``), which is shown this once."""

    webhook: Webhook
    secret: str


class DeliveryState(StrEnum):
    """``waiting`` for its first or next try, ``delivered``, or ``failed`` for good."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class Delivery(WireModel):
    """One message and what became of it. ``id`` is the message's ``webhook-id``, the same at every try."""

    id: str
    type: str
    """A kind of event, or ``webhook.test``."""
    subject: str
    """What it is about: ``owner/name@version``, or a run's id."""
    state: DeliveryState
    created_at: datetime
    attempts: int
    tried_at: datetime | None = None
    next_try_at: datetime | None = None
    status: int | None = None
    """What the receiver answered at the last try; None: nothing."""
    note: str = ""
    """Why the last try failed."""

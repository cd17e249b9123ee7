"""Who has a package: giving it to somebody else, and closing it to new releases."""

from datetime import datetime
from enum import StrEnum

from schemas.base import WireModel
from schemas.names import Owner, PackageId


class TransferState(StrEnum):
    """How an offer stands. Without an answer it lapses after two weeks; one that was taken back is forgotten."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"


class AccountDeletion(WireModel):
    """The caller's own name, typed once more: deleting an account cannot be undone."""

    name: Owner


class TransferCreate(WireModel):
    """Offer a package to an account or an organisation."""

    to: Owner


class TransferAnswer(WireModel):
    """What the receiver says to it: the account itself, or an owner of the organisation."""

    accept: bool


class Transfer(WireModel):
    """A package that was offered to somebody. The package keeps its name, whoever has it."""

    package: PackageId
    from_owner: Owner
    to_owner: Owner
    offered_by: Owner
    offered_at: datetime
    acceptable_at: datetime | None = None
    """From when on it can be accepted: until then its owners can take it back."""
    state: TransferState
    answered_by: str = ""
    answered_at: datetime | None = None

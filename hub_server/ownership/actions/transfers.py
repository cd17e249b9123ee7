"""Give a package to another account or organisation, which must accept it, some days later at the earliest.

The package keeps its name, which stands in its wheels, in locks, in the journal and in signed reports. So everybody who
pinned it gets the same bytes as before, and nobody else can take the name.
"""

from datetime import datetime, timedelta

from hub_server.accounts import actions as accounts
from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import PackageRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.database.base import new_id
from hub_server.database.visibility import EVERYTHING, seeing
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.evaluations import actions as evaluations
from hub_server.journal import actions as journal
from hub_server.kernel.caller import Caller, require_caller, require_person
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ownership import queries
from hub_server.ownership.errors import TransferError, TransferNotFoundError
from hub_server.ownership.models import TransferRow
from hub_server.ownership.rules import (
    MOST_OPEN_OFFERS,
    OFFER_LIFETIME,
    is_declined_lately,
    is_offer_open,
    is_taken_lately,
)
from hub_server.publishing import queries as publishing_queries
from hub_server.trusted_publishing import actions as trusted_publishing
from schemas.account import Scope
from schemas.events import EventKind
from schemas.ownership import Transfer, TransferCreate, TransferState

_MOST_SHOWN = 100


def offer_package(work: UnitOfWork, package_id: str, body: TransferCreate) -> Transfer:
    """Offer a package. Nothing changes until the receiver accepts it.

    Raises ``TransferError``, ``AccountNotFoundError``.
    """
    caller = accounts.require_proof(work)
    catalog.get_package_row(work, package_id)  # whoever does not see it learns nothing
    package = package_queries.lock_package(work.session, package_id)
    assert package is not None
    _require_governor(work, caller, package)
    accounts.get_any_account(work, body.to)
    if body.to == package.owner:
        raise InvalidRequestError(f"{package_id} is {body.to}'s already.")
    _refuse_transfer(work, package, body.to)
    _refuse_offer(work, package_id, body.to)
    queries.forget_open_offers(work.session, package_id)  # one that has lapsed
    since = work.now - OFFER_LIFETIME
    if queries.count_open_offers(work.session, package.owner, since) >= MOST_OPEN_OFFERS:
        raise TransferError(f"{package.owner} has offered {MOST_OPEN_OFFERS} packages that have no answer yet.")
    row = TransferRow(
        id=new_id(work.now),
        package_id=package_id,
        from_owner=package.owner,
        to_owner=body.to,
        offered_by=caller.name,
        offered_at=work.now,
        state=TransferState.OPEN.value,
        answered_by="",
    )
    work.session.add(row)
    work.session.flush()
    until = _acceptable_at(work, row).isoformat(timespec="minutes")
    receivers = accounts.governors_of(work, package.owner)
    accounts.queue_notices(work, "package_offered", receivers, thing=package_id, other=body.to, until=until)
    return _transfer_of(work, row)


def _acceptable_at(work: UnitOfWork, row: TransferRow) -> datetime:
    return row.offered_at + timedelta(hours=work.services.settings.owner_change_hours)


def _refuse_offer(work: UnitOfWork, package_id: str, to: str) -> None:
    """Refuse what the package's earlier offers forbid."""
    for known in queries.newest_offers(work.session, package_id, _MOST_SHOWN):
        if is_offer_open(known.state, known.offered_at, work.now):
            raise TransferError(f"{package_id} is offered to {known.to_owner} already: take that back first.")
        if is_taken_lately(known.state, known.answered_at, work.now):
            raise TransferError(f"{package_id} changed hands less than a day ago: offer it tomorrow.")
        if known.to_owner == to and is_declined_lately(known.state, known.answered_at, work.now):
            raise TransferError(f"{to} has declined {package_id} lately, and is not asked again so soon.")


def take_back_offer(work: UnitOfWork, package_id: str) -> None:
    """Take an offer back that has no answer. Raises ``TransferNotFoundError``."""
    caller = require_person(work.caller)
    catalog.get_package_row(work, package_id)
    package = package_queries.lock_package(work.session, package_id)
    assert package is not None
    _require_governor(work, caller, package)
    if _open_offer(work, package_id) is None:
        raise TransferNotFoundError(f"{package_id} has no open offer: it was answered, taken back, or has expired.")
    queries.forget_open_offers(work.session, package_id)


def answer_transfer(work: UnitOfWork, package_id: str, *, accept: bool) -> Transfer:
    """Take a package over, or decline it: for the account that it was offered to, or an owner of the organisation.

    Raises ``TransferNotFoundError`` for everybody else, ``TransferError``.
    """
    caller = accounts.require_proof(work) if accept else require_person(work.caller)
    with seeing(work.session, EVERYTHING):  # a private package is not seen before it is accepted
        _offer_to(work, caller, package_id)  # whom nothing is offered to holds up nobody's publish
        if accept:
            publishing_queries.exclude_publishes(work.session)  # or a private package begins to need one that goes
        package = package_queries.lock_package(work.session, package_id)
        row = _offer_to(work, caller, package_id)
        if package is None or row.from_owner != package.owner:
            raise _no_offer(package_id)
        if accept:
            _require_time(work, row)
            _hand_over(work, package, row.to_owner)
        row.state = (TransferState.ACCEPTED if accept else TransferState.DECLINED).value
        row.answered_by, row.answered_at = caller.name, work.now
        work.session.flush()
        return _transfer_of(work, row)


def _require_time(work: UnitOfWork, row: TransferRow) -> None:
    """Refuse what comes too soon, and what was offered by somebody who may not any more."""
    if not accounts.is_governor(work, row.offered_by, row.from_owner):
        raise _no_offer(row.package_id)
    at = _acceptable_at(work, row)
    if work.now < at:
        raise TransferError(
            f"{row.package_id} can be taken over from {at:%Y-%m-%d %H:%M} UTC on: until then its owners can stop it."
        )


def _offer_to(work: UnitOfWork, caller: Caller, package_id: str) -> TransferRow:
    """The offer that the caller may answer. Raises ``TransferNotFoundError``."""
    row = _open_offer(work, package_id)
    if row is None or not accounts.governs(work, caller.name, row.to_owner):
        raise _no_offer(package_id)
    return row


def _no_offer(package_id: str) -> TransferNotFoundError:
    return TransferNotFoundError(f"Nobody has offered {package_id} to you, or the offer is over.")


def list_transfers(work: UnitOfWork, package_id: str) -> list[Transfer]:
    """Who was given a package, newest first, for everybody; what is offered and was declined for its owners alone."""
    package = catalog.get_package_row(work, package_id)
    rows = queries.newest_offers(work.session, package_id, _MOST_SHOWN)
    is_own = work.caller is not None and work.caller.owns(package.owner)
    return [_transfer_of(work, row) for row in rows if is_own or row.state == TransferState.ACCEPTED]


def find_offer(work: UnitOfWork, package_id: str) -> Transfer | None:
    """A package's offer that has no answer yet, for its owners; None for everybody else."""
    package = catalog.get_package_row(work, package_id)
    row = _open_offer(work, package_id) if work.caller is not None and work.caller.owns(package.owner) else None
    return _transfer_of(work, row) if row is not None else None


def list_offers(work: UnitOfWork) -> list[Transfer]:
    """What is offered to the caller, or to organisations that it is an owner of; private packages among it."""
    caller = require_caller(work.caller, Scope.READ)
    mine = accounts.governed_by(work, caller)
    with seeing(work.session, EVERYTHING):
        rows = queries.open_offers_to(work.session, mine, work.now - OFFER_LIFETIME)
    return [_transfer_of(work, row) for row in rows]


def _open_offer(work: UnitOfWork, package_id: str) -> TransferRow | None:
    found = queries.newest_offers(work.session, package_id, _MOST_SHOWN)
    return next((row for row in found if is_offer_open(row.state, row.offered_at, work.now)), None)


def _require_governor(work: UnitOfWork, caller: Caller, package: PackageRow) -> None:
    if not accounts.governs(work, caller.name, package.owner):
        raise NotAllowedError(
            f"Only {package.owner} may give {package.id} away: the account, or an owner of the organisation."
        )


def _refuse_transfer(work: UnitOfWork, package: PackageRow, to: str) -> None:
    """Refuse what moderators have stopped, and a private package that hangs together with others of its owner."""
    catalog.refuse_barred(package)
    accounts.check_not_blocked(work, to, package.id)
    if not package.is_private:
        return
    with seeing(work.session, EVERYTHING):
        if queries.private_needs_across(work.session, package.id, to):
            raise TransferError(
                f"{package.id} is private, and needs or is needed by another private package, not of {to}: "
                "give that away first, or make one of them public."
            )


def _hand_over(work: UnitOfWork, package: PackageRow, to: str) -> None:
    """Everything that follows from another owner, in the transaction that accepts."""
    _refuse_transfer(work, package, to)
    before = audits.owners_of(work, package.id)
    package_queries.add_former_owner(work.session, package.id, package.owner, work.now)
    former, package.owner = package.owner, to
    work.session.flush()
    work.announce(EventKind.PACKAGE_TRANSFERRED, package.id, **{"from": former})
    trusted_publishing.forget_publishers(work, package.id)  # the former owner's workflows publish no more
    journal.record_transfer(work, package.id, to)
    if package.is_private:
        evaluations.measure_anew(work, package.id)  # its reports may speak of what else the former owner has
    catalog.refresh_package(work, package.id)
    key = f"transfer:{package.id}:{work.now.isoformat()}"
    work.queue(JobName.MEASURE_AFTER_TRANSFER, {"package": package.id}, unique_key=key)
    receivers = before | audits.owners_of(work, package.id)
    accounts.queue_notices(work, "package_transferred", receivers, thing=package.id, other=to)


def _transfer_of(work: UnitOfWork, row: TransferRow) -> Transfer:
    return Transfer(
        package=row.package_id,
        from_owner=row.from_owner,
        to_owner=row.to_owner,
        offered_by=row.offered_by,
        offered_at=row.offered_at,
        acceptable_at=_acceptable_at(work, row),
        state=TransferState(row.state),
        answered_by=row.answered_by,
        answered_at=row.answered_at,
    )

"""Which CI workflows may publish a package. Its owner decides, with the password just typed."""

from hub_server.accounts import actions as accounts
from hub_server.catalog import actions as catalog
from hub_server.database.base import new_id
from hub_server.errors import InvalidRequestError
from hub_server.kernel.caller import Caller, require_publisher
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.trusted_publishing import queries
from hub_server.trusted_publishing.errors import PublisherNotFoundError
from hub_server.trusted_publishing.models import TrustedPublisherRow
from schemas.names import InvalidNameError, split_package_id
from schemas.trusted_publishers import Provider, TrustedPublisher, TrustedPublisherCreate

_MOST = 20  # chosen, not measured


def add_publisher(work: UnitOfWork, package_id: str, body: TrustedPublisherCreate) -> TrustedPublisher:
    """Let a workflow publish ``package_id``, in the caller's name. The package need not exist yet."""
    caller = _require_owner(work, package_id)
    issuers = work.services.settings.trusted_publishing.issuers
    if body.issuer not in issuers:
        known = ", ".join(issuers) or "none: set VERIHUB_SERVER_TRUSTED_PUBLISHING__ISSUERS"
        raise InvalidRequestError(f"This hub does not accept the issuer {body.issuer!r}; it accepts {known}.")
    owner = catalog.owner_of(work, package_id)
    accounts.check_not_blocked(work, owner, package_id)
    present = queries.publishers_of(work.session, package_id)
    if len(present) >= _MOST:
        raise InvalidRequestError(f"A package has at most {_MOST} trusted publishers: remove one first.")
    row = TrustedPublisherRow(
        id=new_id(work.now),
        package_id=package_id,
        account_id=caller.account_id,
        created_at=work.now,
        owner_id="",
        **body.model_dump(mode="json"),
    )
    work.session.add(row)
    work.session.flush()
    shared = accounts.members_by_organization(work, [owner]).get(owner, {owner})
    accounts.queue_notices(
        work, "publisher_added", [*shared, caller.name], thing=package_id, other=f"{body.repository} ({body.workflow})"
    )
    return _publisher_of(row, caller.name)


def list_publishers(work: UnitOfWork, package_id: str) -> list[TrustedPublisher]:
    """The publishers of a package. For its owners."""
    _owner_of(work, package_id)
    rows = queries.publishers_of(work.session, package_id)
    names = accounts.names_of(work, {row.account_id for row in rows})
    return [_publisher_of(row, names[row.account_id]) for row in rows]


def remove_publisher(work: UnitOfWork, package_id: str, publisher_id: str) -> None:
    """Let a workflow publish no more. Tokens that it holds end within minutes."""
    _require_owner(work, package_id)
    row = queries.find_publisher(work.session, package_id, publisher_id)
    if row is None:
        raise PublisherNotFoundError(f"{package_id} has no trusted publisher with this id.")
    work.session.delete(row)


def forget_publishers(work: UnitOfWork, package_id: str) -> None:
    """Let no workflow publish any more: the package has another owner."""
    queries.forget_publishers(work.session, package_id)


def _require_owner(work: UnitOfWork, package_id: str) -> Caller:
    accounts.require_proof(work)
    return _owner_of(work, package_id)


def _owner_of(work: UnitOfWork, package_id: str) -> Caller:
    try:
        split_package_id(package_id)
    except InvalidNameError as error:
        raise InvalidRequestError(str(error)) from None
    return require_publisher(work.caller, package_id, catalog.owner_of(work, package_id))


def _publisher_of(row: TrustedPublisherRow, registered_by: str) -> TrustedPublisher:
    return TrustedPublisher(
        id=row.id,
        package=row.package_id,
        provider=Provider(row.provider),
        issuer=row.issuer,
        repository=row.repository,
        workflow=row.workflow,
        environment=row.environment,
        registered_by=registered_by,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
    )

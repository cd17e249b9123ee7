"""A person ends their own account. What others build on stays where it is, so it is handed over or deleted before.

The account's row stays with its name alone: nobody can take that again, also not a look-alike, the log of changes still
says whose they were, and a moderator can still hide what was published under it.
"""

from hub_server.accounts import actions as accounts
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.catalog.queries import packages as package_queries
from hub_server.errors import InvalidRequestError
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ownership import queries
from hub_server.ownership.errors import StillUsedError
from hub_server.publishing import queries as publishing_queries
from schemas.account import Role

_NAMED = 5
"""So many packages are named in a refusal."""


def delete_account(work: UnitOfWork, typed_name: str) -> None:
    """Delete the caller's account for good.

    Raises ``InvalidRequestError`` where ``typed_name`` is not its name, and ``StillUsedError`` for a moderator, and for
    one that owns packages which are not deleted, or is the only owner of an organisation.
    """
    caller = accounts.require_proof(work)
    if typed_name != caller.name:
        raise InvalidRequestError(f"Type the account's name, {caller.name}: deleting it cannot be undone.")
    if caller.is_moderator:
        raise StillUsedError("A moderator's account is not deleted: have the operator end that role first.")
    publishing_queries.exclude_publishes(work.session)  # one that is under way would leave a package without an owner
    # After that, as who takes a package over does. Who joins an organisation waits, and is told.
    account_queries.lock_account(work.session, caller.account_id)
    owned = [row.id for row in package_queries.packages_of(work.session, caller.name) if row.taken_down_reason is None]
    kept = queries.with_content(work.session, owned)
    if kept:
        more = f" and {len(kept) - _NAMED} more" if len(kept) > _NAMED else ""
        raise StillUsedError(
            f"{caller.name} still owns {', '.join(kept[:_NAMED])}{more}. Others may have pinned them: hand each over "
            "(`verihub owner transfer`), or delete it where nobody uses it (`verihub owner delete`)."
        )
    for name, role in organization_queries.organizations_of(work.session, caller.account_id):
        organization = account_queries.find_account(work.session, name)
        assert organization is not None
        account_queries.lock_account(work.session, organization.id)  # as whoever changes its members does
        if role == Role.OWNER.value and organization_queries.owners_of(work.session, organization.id) == [caller.name]:
            raise StillUsedError(f"{caller.name} is the only owner of {name}: make another member an owner first.")
        organization_queries.add_former_member(work.session, organization.id, caller.name, work.now)
    for release_id in queries.erase_private_runs(work.session, caller.name):
        work.queue(JobName.MEASURE_BENCHMARK, {"release_id": release_id})
    accounts.tell_account(work, caller.account_id, "account_deleted")  # who had the session stolen is to know
    queries.erase_account(work.session, caller.account_id, caller.name)

"""Who stands behind a package: what they say about it is not independent."""

from collections.abc import Collection

from hub_server.accounts import actions as accounts
from hub_server.catalog.queries import packages as package_queries
from hub_server.kernel.unit_of_work import UnitOfWork


def people_behind(work: UnitOfWork, package_ids: Collection[str]) -> dict[str, set[str]]:
    """By package: who has it or had it, the members of these organisations, now or until not long ago, and publishers.

    Their evidence about it is not independent. Whoever gives a suite away has written it all the same, and so has who
    published it for an organisation and left. 500 packages take as many SQL statements as one.
    """
    owners, publishers = package_queries.owners_and_publishers(work.session, package_ids)
    members = accounts.people_of_organizations(work, set().union(*owners.values()))
    found: dict[str, set[str]] = {}
    for package_id in package_ids:
        names = owners.get(package_id) or {package_id.partition("/")[0]}
        found[package_id] = names.union(publishers.get(package_id, ()), *(members.get(name, ()) for name in names))
    return found

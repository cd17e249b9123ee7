"""A private package is shown to everybody: once, and for good."""

from hub_server.accounts import actions as accounts
from hub_server.audits.actions.cases import queue_audit
from hub_server.audits.queries import audits as audit_queries
from hub_server.catalog import actions as catalog
from hub_server.catalog.queries import packages as package_queries
from hub_server.database.visibility import EVERYTHING, seeing
from hub_server.errors import NotAllowedError
from hub_server.kernel.caller import require_publisher
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.publishing import actions as publishing
from schemas.events import EventKind
from schemas.kinds import PackageKind
from schemas.package import PackageDetail


def measure_anew(work: UnitOfWork, package_id: str) -> None:
    """Forget what was measured and asked about a package, and measure it again: others see it from now on.

    Its reports may name other private packages, and its label questions quote private runs.
    """
    package = catalog.get_package_row(work, package_id)
    rows = package_queries.releases_of(work.session, package_id)
    audit_queries.forget_measurements(work.session, package_id, [row.id for row in rows])
    for row in rows:
        row.audit_state, row.audit_summary = "none", None
    catalog.refresh_package(work, package_id)
    shown = next((row for row in rows if row.id == package.shown_release_id), None)
    if shown is not None and catalog.release_of(shown).manifest.verifier is not None:
        queue_audit(work, package_id, shown.version)


def make_public(work: UnitOfWork, package_id: str) -> PackageDetail:
    """Show a private package, its releases and its counter-examples to everybody. It cannot be made private again.

    What was measured and asked about it is forgotten, and it is measured again: the old reports may name other private
    packages, and the questions may quote private runs. Raises ``InvalidPackageError`` where it needs a private package.
    """
    owner = catalog.get_package_row(work, package_id).owner  # whoever does not see it learns nothing
    if require_publisher(work.caller, package_id, owner).only:
        raise NotAllowedError("A workflow's token publishes releases. Who sees the package, its owners say.")
    accounts.check_not_blocked(work, owner, package_id)
    package = package_queries.lock_package(work.session, package_id)
    assert package is not None
    if package.is_private:
        catalog.refuse_barred(package)
        rows = package_queries.releases_of(work.session, package_id)
        with seeing(work.session, EVERYTHING):  # also what another owner keeps private, whom the caller is none of
            for row in rows:
                publishing.check_references_seen(work, catalog.release_of(row).manifest, owner, is_private=False)
        package.is_private = False
        now = work.now
        package.created_at = package.updated_at = now  # new to everybody else
        for row in rows:
            row.public_since = now
        measure_anew(work, package_id)
        publishing.enter_releases(work, rows)
        work.announce(EventKind.PACKAGE_MADE_PUBLIC, package_id)
        if package.kind == PackageKind.SUITE:
            work.queue(JobName.MEASURE_WITH_SUITE, {"suite": package_id}, unique_key=f"suite:{package_id}")
    return catalog.get_package(work, package_id)

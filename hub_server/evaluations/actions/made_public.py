"""Others see a private package from now on: what benchmarks say of it is forgotten too."""

from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.evaluations import queries
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.package import PackageDetail


def make_public(work: UnitOfWork, package_id: str) -> PackageDetail:
    """As ``audits.make_public``. A benchmark's reports are deleted and made anew, without the results of private runs.

    A report names the private packages that it found the same tasks in, and a result the model of its run.
    """
    was_private = catalog.get_package_row(work, package_id).is_private
    shown = audits.make_public(work, package_id)
    if was_private:
        _forget_private_results(work, package_id)
    return shown


def measure_anew(work: UnitOfWork, package_id: str) -> None:
    """As ``audits.measure_anew``, and without what private runs brought to benchmarks."""
    audits.measure_anew(work, package_id)
    _forget_private_results(work, package_id)


def _forget_private_results(work: UnitOfWork, package_id: str) -> None:
    for release_id in queries.forget_private(work.session, package_id):
        work.queue(JobName.MEASURE_BENCHMARK, {"release_id": release_id})

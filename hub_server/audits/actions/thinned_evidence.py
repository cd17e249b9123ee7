"""Keeps the grade F for a release that has the code of an earlier F and too few cases to be rated.

Otherwise an author could get from F to unrated by leaving cases out.
"""

from hub_server.catalog.models import ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.audit import AuditReport
from schemas.evidence.rates import Grade, Grading
from schemas.package import AuditSummary


def with_earlier_f(work: UnitOfWork, release: ReleaseRow, report: AuditReport) -> AuditReport:
    """The report, as F instead of U where an earlier release with the same Python files stands at F.

    Once the earlier release is measured anew and leaves F (a label was wrong), so does this one with its next audit.
    """
    if report.grade is not Grade.UNMEASURED:
        return report
    code = _code_of(work, release)
    for other in package_queries.releases_of(work.session, release.package_id):
        if other.published_at >= release.published_at or not other.audit_summary:
            continue
        if AuditSummary.read(other.audit_summary).grade is Grade.F and code and _code_of(work, other) == code:
            said = f"More cases: they are too few for a grade, and release {other.version} with the same code is in F."
            grading = report.grading or Grading()
            grading = grading.model_copy(update={"missing": [said, *grading.missing]})
            return report.model_copy(update={"grade": Grade.F, "grading": grading})
    return report


def _code_of(work: UnitOfWork, release: ReleaseRow) -> dict[str, str]:
    files = package_queries.files_of(work.session, release.id)
    return {file.path: file.sha256 for file in files if file.path.endswith(".py")}

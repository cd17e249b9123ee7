"""A benchmark's report: computed by a job, stored by the digest of the results, shown with the newest audits."""

from collections.abc import Collection, Mapping

from packaging.version import Version

from hub_server.catalog import actions as catalog
from hub_server.catalog.queries import packages as package_queries
from hub_server.evaluations import queries
from hub_server.evaluations.actions.results import get_benchmark
from hub_server.evaluations.actions.texts import compare_texts
from hub_server.evaluations.errors import BenchmarkNotFoundError
from hub_server.evaluations.models import BenchmarkRelationRow, BenchmarkReportRow, BenchmarkResultsRow
from hub_server.evaluations.rules import report
from hub_server.evaluations.rules import results as rules
from hub_server.evaluations.rules.quality.redundancy import rank_agreement
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.benchmark import REPORT_FORMAT, BenchmarkReport, JudgedEnvironment, RelatedBenchmark
from schemas.measures.corrected import TrustLevel
from schemas.measures.intervals import Interval
from schemas.names import LATEST
from schemas.package import AuditSummary


def find_report(work: UnitOfWork, package_id: str, version: str = LATEST) -> BenchmarkReport | None:
    """The newest report of a benchmark's release with what the audits say now, or None while there is none."""
    release = get_benchmark(work, package_id, version)
    found = _read(queries.find_report(work.session, release.id))
    return _completed(work, {release.id: found})[release.id] if found is not None else None


def find_reports(work: UnitOfWork, versions: Mapping[str, str | None]) -> dict[str, BenchmarkReport]:
    """Benchmark -> its report, where there is one. ``versions``: benchmark -> its release, None where it has none."""
    rows = queries.reports_of(work.session, list(versions))
    found = {row.release_id: _read(row) for name, version, row in rows if versions[name] == version}
    reports = _completed(work, {release_id: one for release_id, one in found.items() if one is not None})
    return {name: reports[row.release_id] for name, _, row in rows if row.release_id in reports}


def _completed(work: UnitOfWork, reports: Mapping[str, BenchmarkReport]) -> dict[str, BenchmarkReport]:
    """By release: each report with what audits say now, and its relations; as many statements as for one."""
    if not reports:
        return {}
    judged = _judged(work, reports.values())
    related = _relations(work, list(reports))
    return {
        release_id: rules.with_audits(found, [judged[one] for one in _environments(found)]).model_copy(
            update={"related": related[release_id]}
        )
        for release_id, found in reports.items()
    }


def _read(row: BenchmarkReportRow | None) -> BenchmarkReport | None:
    """Read a stored report. None if its format is an older one; the next results bring a new one."""
    if row is None or row.report.get("format") != REPORT_FORMAT:
        return None
    return BenchmarkReport.read(row.report)


def get_report(work: UnitOfWork, package_id: str, version: str = LATEST) -> BenchmarkReport:
    """The newest report. Raises ``BenchmarkNotFoundError`` while nobody has sent results."""
    found = find_report(work, package_id, version)
    if found is None:
        raise BenchmarkNotFoundError(f"Nobody has sent results on {package_id} yet.")
    return found


def is_current(work: UnitOfWork, package_id: str, version: str = LATEST) -> bool:
    """Whether no results came after those that the kept report was last compared with."""
    release = get_benchmark(work, package_id, version)
    newest = queries.newest_results(work.session, release.id)
    row = queries.find_report(work.session, release.id)
    return newest is None or (row is not None and _read(row) is not None and newest <= row.computed_at)


def confirm_report(work: UnitOfWork, release_id: str) -> bool:
    """Whether the kept report is of exactly the results that are there now; notes the moment if so."""
    row = queries.find_report(work.session, release_id)
    found = _read(row)
    if row is None or found is None:
        return False
    if found.results_digest != rules.results_digest(_submissions(work, release_id)):
        return False
    row.computed_at = work.now
    return True


def compute_report(work: UnitOfWork, release_id: str) -> BenchmarkReport | None:
    """The whole report, or None without any results."""
    release = package_queries.find_release_by_id(work.session, release_id)
    assert release is not None, "releases are never deleted"
    submissions = _submissions(work, release_id)
    if not submissions:
        return None
    texts = compare_texts(work, catalog.release_of(release).manifest)
    return report.measure(release.package_id, release.version, submissions, texts, work.now)


def _submissions(work: UnitOfWork, release_id: str) -> list[rules.Submission]:
    return [_submission(row) for row in queries.results_of(work.session, release_id)]


def _submission(row: BenchmarkResultsRow) -> rules.Submission:
    return rules.Submission(
        model=row.model,
        harness=row.harness,
        environment=row.environment,
        version=row.environment_version,
        counts={task: (pair[0], pair[1]) for task, pair in row.outcomes.items()},
        failed=row.left_out.get("failed", 0),
        unjudged=row.left_out.get("unjudged", 0),
    )


def keep_report(work: UnitOfWork, release_id: str, found: BenchmarkReport) -> None:
    """Write a computed report down, and how it agrees with those of other benchmarks."""
    row = queries.find_report(work.session, release_id)
    if row is None:
        row = BenchmarkReportRow(release_id=release_id)
        work.session.add(row)
    row.computed_at, row.report = found.computed_at, found.model_dump(mode="json")
    work.session.flush()
    scores = _scores(found)
    for other in queries.other_reports(work.session, release_id):
        known = _read(other)
        if known is not None and known.benchmark != found.benchmark:
            _keep_relation(work, (release_id, found), (other.release_id, known), scores)


def forget_report(work: UnitOfWork, release_id: str) -> None:
    """Delete the report of a release that has no results any more."""
    queries.forget_report(work.session, release_id)


def _scores(found: BenchmarkReport) -> dict[str, float]:
    return {f"{row.model} · {row.harness}": row.score.value for row in found.leaderboard}


def _keep_relation(
    work: UnitOfWork, one: tuple[str, BenchmarkReport], other: tuple[str, BenchmarkReport], scores: dict[str, float]
) -> None:
    found = rank_agreement(scores, _scores(other[1]))
    first, second = sorted((one, other), key=lambda pair: pair[0])
    row = queries.find_relation(work.session, first[0], second[0])
    if row is None:
        row = BenchmarkRelationRow(first_release_id=first[0], second_release_id=second[0])
        work.session.add(row)
    row.computed_at = work.now
    row.relation = {
        "names": [[report.benchmark, report.version] for _, report in (first, second)],
        "entries": found.model_count,
        "kendall": vars(found.kendall) if found.kendall else None,
        "spearman": vars(found.spearman) if found.spearman else None,
        "is_redundant": found.is_redundant,
    }


def list_relations(work: UnitOfWork, release_id: str) -> list[RelatedBenchmark]:
    """How other benchmarks rank the entries that both have seen; most alike first, those without enough left out."""
    return _relations(work, [release_id])[release_id]


def _relations(work: UnitOfWork, release_ids: Collection[str]) -> dict[str, list[RelatedBenchmark]]:
    """By release: what :func:`list_relations` says of it."""
    found: dict[str, list[RelatedBenchmark]] = {one: [] for one in release_ids}
    for row in queries.relations_of(work.session, release_ids):
        fields = {key: row.relation[key] for key in ("entries", "kendall", "spearman", "is_redundant")}
        first, second = row.relation["names"]
        for release_id, (name, version) in ((row.first_release_id, second), (row.second_release_id, first)):
            if release_id in found:
                found[release_id].append(RelatedBenchmark.read({"benchmark": name, "version": version, **fields}))
    return {
        release_id: sorted(
            (one for one in related if one.kendall is not None), key=lambda one: (-_value(one.kendall), one.benchmark)
        )
        for release_id, related in found.items()
    }


def _value(interval: Interval | None) -> float:
    return interval.value if interval else -1.0


Environment = tuple[str, str, int]
"""Its package, the newest version that results are of, how many of its tasks."""


def _environments(found: BenchmarkReport) -> list[Environment]:
    """Every environment of the results, in order."""
    versions: dict[str, set[str]] = {}
    tasks: dict[str, int] = {}
    for cell in found.cells:
        versions.setdefault(cell.environment, set()).update(cell.versions)
        tasks[cell.environment] = max(tasks.get(cell.environment, 0), cell.task_count)
    return [(name, max(known, key=Version), tasks[name]) for name, known in sorted(versions.items())]


def _judged(work: UnitOfWork, reports: Collection[BenchmarkReport]) -> dict[Environment, JudgedEnvironment]:
    """Each environment of the results with the audit that applies to it."""
    asked = {one for found in reports for one in _environments(found)}
    releases = catalog.find_exact_releases(work, {(name, version) for name, version, _ in asked})
    audits = catalog.find_judging_audits(work, releases.values())
    applying = {pin: audits[one.package, one.version] for pin, one in releases.items()}
    return {
        (name, version, tasks): _judged_by(name, version, tasks, applying.get((name, version)))
        for name, version, tasks in asked
    }


def _judged_by(
    environment: str, version: str, task_count: int, found: tuple[str, AuditSummary] | None
) -> JudgedEnvironment:
    if found is None:
        return JudgedEnvironment(environment=environment, version=version, task_count=task_count)
    audited, audit = found
    return JudgedEnvironment(
        environment=environment,
        version=version,
        trust_level=TrustLevel.of(audit.grade),
        grade=audit.grade,
        audited=audited,
        audited_at=audit.audited_at,
        case_count=audit.case_count,
        errors=audit.graded,
        task_count=task_count,
    )

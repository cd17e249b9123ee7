"""What can be done with benchmarks: send results, read what they say."""

from collections.abc import Mapping

from hub_server.caller import require_caller
from hub_server.catalog import actions as catalog
from hub_server.catalog import queries as catalog_queries
from hub_server.catalog.errors import PackageNotFoundError, ReleaseNotFoundError
from hub_server.catalog.models import ReleaseRow
from hub_server.database.base import new_id
from hub_server.evaluations import queries, rules
from hub_server.evaluations.errors import BenchmarkNotFoundError, InvalidResultsError
from hub_server.evaluations.models import BenchmarkReportRow, BenchmarkResultsRow
from hub_server.paging import check_limit, decode_cursor, encode_cursor
from hub_server.work import Work
from schemas.account import Scope
from schemas.benchmark import BenchmarkReport, BenchmarkResults, ResultsCreate
from schemas.kinds import PackageKind
from schemas.manifest import Manifest
from schemas.names import Reference
from schemas.page import Page
from schemas.task import Task

MEASURE_JOB = "evaluations.measure_benchmark"


def submit_results(work: Work, package_id: str, version: str, wish: ResultsCreate) -> BenchmarkResults:
    """Keep what a model did.

    The same account's newer results for the same place replace the older. Queues the report.
    """
    caller = require_caller(work.caller, Scope.RUNS)
    release = _get_benchmark(work, package_id, version)
    _check_environment(release, wish)
    counts = _counts_of(wish)
    row = queries.find_results(work.session, release.id, wish.environment, wish.model, wish.harness, caller.name)
    now = work.now
    if row is None:
        row = BenchmarkResultsRow(
            id=new_id(now),
            release_id=release.id,
            benchmark=release.package_id,
            version=release.version,
            environment=wish.environment,
            model=wish.model,
            harness=wish.harness,
            submitted_by=caller.name,
        )
        work.session.add(row)
    row.environment_version, row.run_id, row.submitted_at = wish.environment_version, wish.run_id, now
    row.outcomes = {task: list(pair) for task, pair in counts.items()}
    work.session.flush()
    work.queue(MEASURE_JOB, {"release_id": release.id})
    return _results_of(row)


def _get_benchmark(work: Work, package_id: str, version: str) -> ReleaseRow:
    row = catalog.resolve_release(work, package_id, version)
    if catalog.release_of(row).manifest.kind is not PackageKind.BENCHMARK:
        raise BenchmarkNotFoundError(f"{package_id} is no benchmark.")
    return row


def _check_environment(release: ReleaseRow, wish: ResultsCreate) -> None:
    manifest = catalog.release_of(release).manifest
    pinned = [Reference.parse(text) for text in manifest.environments]
    of_it = [reference for reference in pinned if reference.package == wish.environment]
    if not of_it:
        names = ", ".join(str(reference) for reference in pinned)
        raise InvalidResultsError(f"{wish.environment} is not in {release.package_id} {release.version}: {names}.")
    if not any(r.digest is not None or r.choose([wish.environment_version]) is not None for r in of_it):
        raise InvalidResultsError(
            f"{release.package_id} {release.version} pins {of_it[0]}, not version {wish.environment_version}."
        )


def _counts_of(wish: ResultsCreate) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    for outcome in wish.outcomes:
        if outcome.successes > outcome.attempts:
            raise InvalidResultsError(f"Task {outcome.task_id!r} has more successes than attempts.")
        if outcome.task_id in counts:
            raise InvalidResultsError(f"Task {outcome.task_id!r} comes twice: add its attempts up.")
        counts[outcome.task_id] = (outcome.successes, outcome.attempts)
    return counts


def list_results(
    work: Work, package_id: str, version: str = "latest", *, cursor: str | None = None, limit: int = 50
) -> Page[BenchmarkResults]:
    """Submissions, newest first."""
    release = _get_benchmark(work, package_id, version)
    after = decode_cursor(cursor, "results", str)
    rows = queries.page_of_results(work.session, release.id, after[0] if after else None, check_limit(limit) + 1)
    more = encode_cursor("results", rows[limit - 1].id) if len(rows) > limit else None
    return Page[BenchmarkResults](items=[_results_of(row) for row in rows[:limit]], next=more)


def find_report(work: Work, package_id: str, version: str = "latest") -> BenchmarkReport | None:
    """The newest report of a benchmark's release, or None while nobody has sent results."""
    release = _get_benchmark(work, package_id, version)
    row = queries.find_report(work.session, release.id)
    return BenchmarkReport.read(row.report) if row is not None else None


def get_report(work: Work, package_id: str, version: str = "latest") -> BenchmarkReport:
    """The newest report. Raises ``BenchmarkNotFoundError`` while nobody has sent results."""
    report = find_report(work, package_id, version)
    if report is None:
        raise BenchmarkNotFoundError(f"Nobody has sent results on {package_id} yet.")
    return report


def compute_report(work: Work, release_id: str) -> BenchmarkReport | None:
    """Everything that the results say, or None without any."""
    release = catalog_queries.find_release_by_id(work.session, release_id)
    assert release is not None, "releases are never deleted"
    rows = queries.results_of(work.session, release_id)
    if not rows:
        return None
    entries = rules.merge_entries(
        [(row.model, row.harness, row.environment, {task: (pair[0], pair[1]) for task, pair in row.outcomes.items()})
         for row in rows]
    )  # fmt: skip
    outcomes = rules.outcomes_of(entries)
    pass_rate, never, always, task_rates = rules.hardness_of(outcomes)
    share, shared_tasks, pairs = rules.separability_of(outcomes)
    diversity, looked_at, duplicates = rules.diversity_of(_texts(work, catalog.release_of(release).manifest))
    return BenchmarkReport(
        benchmark=release.package_id,
        version=release.version,
        computed_at=work.now,
        leaderboard=rules.leaderboard(entries),
        task_count=len(outcomes.tasks),
        pass_rate=pass_rate,
        never_solved=never,
        always_solved=always,
        separability=share,
        separability_tasks=shared_tasks,
        pairs=pairs,
        diversity=diversity,
        diversity_tasks=looked_at,
        duplicates=duplicates,
        harness_changes=rules.harness_changes(entries),
        suspicious_tasks=rules.suspicious_tasks(outcomes),
        task_rates=task_rates,
    )


def _texts(work: Work, manifest: Manifest) -> Mapping[str, str]:
    """The prompts of the benchmark's tasks that stand in files, by ``environment#task``."""
    texts: dict[str, str] = {}
    split = manifest.split or "test"
    for reference in (Reference.parse(text) for text in manifest.environments):
        selector = reference.version or reference.specifier or reference.digest or "latest"
        try:
            row = catalog.usable_release(work, reference.package, selector)
        except (PackageNotFoundError, ReleaseNotFoundError):
            continue
        if row.task_counts.get(split) is not None:
            for task in work.parts.wheels.contents(row.digest).tasks(split):
                texts[f"{reference.package}#{task.id}"] = _prompt_text(task)
    return texts


def _prompt_text(task: Task) -> str:
    if isinstance(task.prompt, str):
        return task.prompt
    return "\n".join(str(message.content or "") for message in task.prompt)


def keep_report(work: Work, release_id: str, report: BenchmarkReport) -> None:
    """Write a computed report down."""
    row = queries.find_report(work.session, release_id)
    if row is None:
        row = BenchmarkReportRow(release_id=release_id)
        work.session.add(row)
    row.computed_at, row.report = report.computed_at, report.model_dump(mode="json")


def _results_of(row: BenchmarkResultsRow) -> BenchmarkResults:
    rates = [successes / attempts for successes, attempts in row.outcomes.values()]
    fields = {name: getattr(row, name, None) for name in BenchmarkResults.model_fields}
    return BenchmarkResults.read({**fields, "task_count": len(rates), "mean": sum(rates) / len(rates)})

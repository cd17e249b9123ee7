"""Results of benchmarks: send them, list them."""

from hub_server.accounts.queries import accounts as account_queries
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.database.base import new_id
from hub_server.evaluations import queries
from hub_server.evaluations.errors import BenchmarkNotFoundError, InvalidResultsError, TooManyResultsError
from hub_server.evaluations.models import BenchmarkResultsRow
from hub_server.evaluations.rules.senders import EntrySender
from hub_server.kernel.caller import Caller, require_caller
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.job_names import JobName
from hub_server.kernel.texts import check_text
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.benchmark import BenchmarkResults, ResultsCreate
from schemas.kinds import PackageKind
from schemas.names import LATEST, Reference
from schemas.page import Page

MOST_OF_ACCOUNT = 500
"""Results of one account for one benchmark's release. Chosen: each is read for every report, and may be a megabyte."""


def submit_results(work: UnitOfWork, package_id: str, version: str, body: ResultsCreate) -> BenchmarkResults:
    """Keep what a model did.

    The same account's newer results for the same place replace the older. Queues the report.
    """
    caller = require_caller(work.caller, Scope.RUNS)
    release = get_benchmark(work, package_id, version)
    check_text(body.model_dump(), "The results")
    _check_environment(release, body)
    counts = _counts_of(body)
    row = queries.find_results(work.session, release.id, body.environment, body.model, body.harness, caller.name)
    now = work.now
    if row is None:
        _refuse_too_many(work, release, caller)
        row = BenchmarkResultsRow(
            id=new_id(now),
            release_id=release.id,
            benchmark=release.package_id,
            version=release.version,
            environment=body.environment,
            model=body.model,
            harness=body.harness,
            submitted_by=caller.name,
        )
        work.session.add(row)
    row.environment_version, row.run_id, row.submitted_at = body.environment_version, body.run_id, now
    row.outcomes = {task: list(pair) for task, pair in counts.items()}
    row.left_out = {"failed": body.failed, "unjudged": body.unjudged}
    work.session.flush()
    work.queue(JobName.MEASURE_BENCHMARK, {"release_id": release.id})
    return _results_of(row)


def _refuse_too_many(work: UnitOfWork, release: ReleaseRow, caller: Caller) -> None:
    account_queries.lock_account(work.session, caller.account_id)  # two at once are counted one after the other
    if queries.count_results_by(work.session, release.id, caller.name) >= MOST_OF_ACCOUNT:
        raise TooManyResultsError(
            f"You have sent {MOST_OF_ACCOUNT} results to {release.package_id} {release.version}, which is the most of "
            "one account: results for the same environment, model and harness replace those that you sent before."
        )


def follow_hidden_account(work: UnitOfWork, account: str) -> None:
    """An account's results were hidden or are shown again: the reports that they are in are computed anew."""
    for release_id in queries.releases_with_results_by(work.session, account):
        work.queue(JobName.MEASURE_BENCHMARK, {"release_id": release_id})


def get_benchmark(work: UnitOfWork, package_id: str, version: str) -> ReleaseRow:
    """The benchmark's release. Raises ``BenchmarkNotFoundError`` for a package of another kind."""
    row = catalog.resolve_release(work, package_id, version)
    if catalog.release_of(row).manifest.kind is not PackageKind.BENCHMARK:
        raise BenchmarkNotFoundError(f"{package_id} is no benchmark.")
    return row


def _check_environment(release: ReleaseRow, body: ResultsCreate) -> None:
    manifest = catalog.release_of(release).manifest
    pinned = [Reference.parse(text) for text in manifest.environments]
    of_it = [reference for reference in pinned if reference.package == body.environment]
    if not of_it:
        names = ", ".join(str(reference) for reference in pinned)
        raise InvalidResultsError(f"{body.environment} is not in {release.package_id} {release.version}: {names}.")
    if not any(r.digest is not None or r.choose([body.environment_version]) is not None for r in of_it):
        raise InvalidResultsError(
            f"{release.package_id} {release.version} pins {of_it[0]}, not version {body.environment_version}."
        )


def _counts_of(body: ResultsCreate) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    for outcome in body.outcomes:
        if outcome.successes > outcome.attempts:
            raise InvalidResultsError(f"Task {outcome.task_id!r} has more successes than attempts.")
        if outcome.task_id in counts:
            raise InvalidResultsError(f"Task {outcome.task_id!r} comes twice: add its attempts up.")
        counts[outcome.task_id] = (outcome.successes, outcome.attempts)
    return counts


def list_results(
    work: UnitOfWork, package_id: str, version: str = LATEST, *, cursor: str | None = None, limit: int = 50
) -> Page[BenchmarkResults]:
    """Submissions, newest first."""
    release = get_benchmark(work, package_id, version)
    after = decode_cursor(cursor, "results", str)
    rows = queries.page_of_results(work.session, release.id, after[0] if after else None, check_limit(limit) + 1)
    more = encode_cursor("results", rows[limit - 1].id) if len(rows) > limit else None
    return Page[BenchmarkResults](items=[_results_of(row) for row in rows[:limit]], next=more)


def list_senders(work: UnitOfWork, package_id: str, version: str = LATEST) -> dict[tuple[str, str], EntrySender]:
    """(model, harness) -> who sent the newest results for it, for each entry of a leaderboard."""
    return queries.senders_of(work.session, get_benchmark(work, package_id, version).id)


def _results_of(row: BenchmarkResultsRow) -> BenchmarkResults:
    rates = [successes / attempts for successes, attempts in row.outcomes.values()]
    fields = {name: getattr(row, name, None) for name in BenchmarkResults.model_fields}
    return BenchmarkResults.read({**fields, "task_count": len(rates), "mean": sum(rates) / len(rates)})

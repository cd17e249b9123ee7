"""How hard an environment is, by what models reached in the evaluations that everybody sees."""

from collections.abc import Iterable

from hub_server.catalog import actions as catalog
from hub_server.database.visibility import EVERYBODY, seeing
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import queries
from hub_server.runs.actions.run_rows import GATHER_DELAY_SECONDS, known_packages, run_of
from hub_server.runs.actions.task_rates import record_task_rates
from hub_server.runs.models import RunRow
from hub_server.runs.rules.difficulty import difficulty_of
from schemas.measures.corrected import Observed, observed_interval
from schemas.names import LATEST
from schemas.run import Run, RunOutcome

MOST_EVALUATIONS, MOST_OF_ONE_ACCOUNT = 100, 10


def note_difficulty(work: UnitOfWork, row: RunRow) -> None:
    """Search finds environments by what models reached on them, in runs that everybody sees."""
    if not row.is_private:
        pinned = {str(pin["package"]) for pin in row.packages}
        _queue_difficulty(work, pinned & {str(outcome["environment"]) for outcome in row.outcomes})


def follow_hidden_account(work: UnitOfWork, account: str) -> None:
    """An account's runs were hidden or are shown again: what it reported of environments counts no more, or again."""
    _queue_difficulty(work, queries.packages_evaluated_by(work.session, account))


def measure_difficulty(work: UnitOfWork, package: str) -> None:
    """Write how hard an environment and each of its tasks is, by the newest evaluations that everybody sees."""
    with seeing(work.session, EVERYBODY):
        release = catalog.find_release(work, package, LATEST)
        if release is None:
            return
        owner = catalog.owner_of(work, package)
        behind = catalog.people_behind(work, [package])[package]  # together one voice
        evaluations = list_pass_rates(work, package, release.version)
        measured = [
            (owner if run.owner in behind else run.owner, run.model, observed_interval(_observed(outcome)))
            for run, outcome in evaluations
            if outcome.pass_rate is not None
        ]
        catalog.record_difficulty(work, package, difficulty_of(measured))
        record_task_rates(work, package, release.version, {run.id: run.model for run, _ in evaluations})


def list_pass_rates(work: UnitOfWork, package: str, version: str) -> list[tuple[Run, RunOutcome]]:
    """How models did on a package, in releases of ``version``'s major version.

    The newest evaluation of each account, model and harness, newest first, among the last ``MOST_EVALUATIONS``, of
    which at most ``MOST_OF_ONE_ACCOUNT`` are one account's: nobody pushes out the others.
    """
    major = version.partition(".")[0]
    newest: dict[tuple[str, str, str], tuple[Run, RunOutcome]] = {}
    for row in queries.newest_evaluations(work.session, package, MOST_EVALUATIONS, MOST_OF_ONE_ACCOUNT):
        run = run_of(row, without=queries.LONG)
        for outcome in run.outcomes:
            if outcome.environment == package and outcome.version.partition(".")[0] == major:
                newest.setdefault((run.owner, run.model, outcome.harness), (run, outcome))
    return list(newest.values())


def _queue_difficulty(work: UnitOfWork, packages: Iterable[str]) -> None:
    """Not at once: an evaluation may be of 200 environments, each with a hundred earlier ones."""
    for package in known_packages(work, packages):
        work.queue(
            JobName.MEASURE_DIFFICULTY,
            {"package": package},
            unique_key=f"difficulty:{package}",
            delay_seconds=GATHER_DELAY_SECONDS,
        )


def _observed(outcome: RunOutcome) -> Observed:
    return Observed(outcome.pass_rate or 0.0, max(min(outcome.tries, outcome.attempts), 1.0))

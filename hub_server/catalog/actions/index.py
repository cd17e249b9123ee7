"""Keeps what follows from a package's releases up to date: ``@latest``, its card, its search document."""

from collections.abc import Iterable
from typing import Literal

from hub_server.catalog.actions.releases import manifest_of
from hub_server.catalog.models import PackageRow, ReleaseRow
from hub_server.catalog.queries import counts as count_queries
from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.rules.facets import SEVERAL_VALUED, error_bound_of, facets_of
from hub_server.catalog.rules.states import bar_of, state_of, without_words
from hub_server.catalog.rules.versions import LatestCandidate, choose_latest, choose_shown
from hub_server.database.package_changes import mark_changed
from hub_server.journal import actions as journal
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.events import EventKind
from schemas.evidence.rates import Grade
from schemas.kinds import PackageKind
from schemas.package import AuditSummary, Difficulty, ReleaseState

ERASED_AFTER_SECONDS = 900
"""Longer than an upload may take."""
_EVENTS = {
    ReleaseState.ACTIVE: EventKind.RELEASE_RESTORED,
    ReleaseState.DEPRECATED: EventKind.RELEASE_DEPRECATED,
    ReleaseState.YANKED: EventKind.RELEASE_YANKED,
    ReleaseState.QUARANTINED: EventKind.RELEASE_QUARANTINED,
}


def refresh_package(work: UnitOfWork, package_id: str) -> None:
    """Compute a package's card anew; called in the transaction of whatever changed a release."""
    work.session.flush()
    package = package_queries.lock_package(work.session, package_id)
    assert package is not None
    releases = package_queries.releases_of(work.session, package_id)
    barred = bar_of(
        taken_down=package.taken_down_reason, quarantined=package.quarantined_reason, hidden=package.hidden_reason
    )
    for row in releases:
        _set_state(work, row, barred)
    by_key = {row.version_key: row for row in releases}
    candidates = [LatestCandidate(r.version, r.version_key, r.is_prerelease, r.state, r.blocked) for r in releases]
    latest, shown = choose_latest(candidates), choose_shown(candidates)
    package.latest_version = latest.version if latest is not None else None
    package.is_listed = shown is not None
    package.shown_release_id = by_key[shown.key].id if shown is not None else None
    if shown is not None:
        _describe(work, package, by_key[shown.key])
    elif package.taken_down_reason is not None or all(row.taken_down_reason is not None for row in releases):
        _forget_words(work, package)
    if not package.is_private:  # the search index and the lists that follow changes hold what everybody sees
        mark_changed(work.session, package.id)
    before = package.grade
    _copy_newest_audit(package, releases, by_key[shown.key] if shown is not None else None)
    if package.grade != before:
        work.announce(EventKind.GRADE_CHANGED, package.id, package.latest_version, grade=package.grade, before=before)


def _set_state(work: UnitOfWork, row: ReleaseRow, barred: str | None) -> None:
    """What follows from the facts about a release and its package. A change of state is an entry in the journal."""
    state, row.state_reason = state_of(
        barred=barred,
        taken_down=row.taken_down_reason,
        quarantined=row.quarantined_reason,
        yanked=row.yanked_reason,
        deprecated=row.deprecated_reason,
    )
    if row.state != state.value:
        row.state = state.value
        _record_state(work, row)


def _record_state(work: UnitOfWork, row: ReleaseRow) -> None:
    is_taken_down = row.taken_down_reason is not None
    state = ReleaseState(row.state)
    journal.record_state(work, row.package_id, row.version, row.digest, state, is_taken_down=is_taken_down)
    kind = EventKind.RELEASE_TAKEN_DOWN if is_taken_down else _EVENTS[state]
    work.announce(kind, row.package_id, row.version, digest=row.digest)


def _forget_words(work: UnitOfWork, package: PackageRow) -> None:
    """Remove the author's words of a package that was taken down from lists and search."""
    package.summary = package.licence = ""
    package_queries.replace_facets(work.session, package.id, dict.fromkeys(SEVERAL_VALUED, ()))


def _describe(work: UnitOfWork, package: PackageRow, shown: ReleaseRow) -> None:
    package.summary, package.licence = shown.summary, shown.licence
    package_queries.replace_facets(work.session, package.id, facets_of(manifest_of(shown)))


def _copy_newest_audit(package: PackageRow, releases: list[ReleaseRow], shown: ReleaseRow | None) -> None:
    """The shown release's own audit, else that of the nearest lower release.

    So the old rates stay until the new are complete.
    """
    measured = [
        row for row in releases if row.audit_summary and (shown is None or row.version_key <= shown.version_key)
    ]
    summary = AuditSummary.read(measured[0].audit_summary) if measured else None
    package.audit_summary = measured[0].audit_summary if measured else None
    package.grade = (summary.grade if summary is not None else Grade.UNMEASURED).value
    package.error_bound = error_bound_of(summary)


def set_fact(
    work: UnitOfWork,
    row: ReleaseRow,
    fact: Literal["yanked", "deprecated", "quarantined", "taken_down"],
    reason: str | None,
) -> None:
    """Set one fact about a release, with its reason, or clear it (None). The other facts stay as they are."""
    setattr(row, f"{fact}_reason", reason)
    refresh_package(work, row.package_id)
    if manifest_of(row).kind is PackageKind.SUITE and fact != "deprecated":
        # What was measured on it is measured again, with it or without.
        work.queue(JobName.MEASURE_WITH_SUITE, {"suite": row.package_id}, unique_key=f"suite:{row.package_id}")


def set_package_fact(
    work: UnitOfWork, package: PackageRow, fact: Literal["quarantined", "hidden", "taken_down"], reason: str | None
) -> None:
    """Set one fact about a whole package, with its reason, or clear it (None). The other facts stay as they are."""
    setattr(package, f"{fact}_reason", reason)
    refresh_package(work, package.id)
    if package.kind == PackageKind.SUITE:
        work.queue(JobName.MEASURE_WITH_SUITE, {"suite": package.id}, unique_key=f"suite:{package.id}")


def hide_packages_of(work: UnitOfWork, owner: str, reason: str | None) -> None:
    """Hide everything that ``owner`` has published, or show it again (None)."""
    for package in package_queries.packages_of(work.session, owner):
        if package.hidden_reason != reason:
            set_package_fact(work, package, "hidden", reason)


def take_down_release(work: UnitOfWork, row: ReleaseRow, reason: str) -> None:
    """Remove a release's words and files for good. Its row stays, so that its version is never given again."""
    forget_content(work, row)
    before = row.state
    set_fact(work, row, "taken_down", reason)
    if row.state == before:  # it was quarantined already, so no change of state said that it is gone
        _record_state(work, row)


def forget_content(work: UnitOfWork, row: ReleaseRow) -> None:
    """Remove the words and the files of a release that is taken down.

    Its bytes are erased by a job, later than any upload of the same bytes that is under way now can end.
    """
    row.readme = row.notes = row.summary = row.licence = ""
    row.dependencies, row.authors, row.links = [], [], []
    row.manifest = without_words(manifest_of(row)).model_dump(mode="json", by_alias=True)
    row.audit_state, row.audit_summary = "none", None
    package_queries.remove_files(work.session, row.id)
    work.queue(
        JobName.ERASE_BYTES,
        {"release_id": row.id},
        unique_key=f"erase:{row.id}",
        delay_seconds=ERASED_AFTER_SECONDS,
    )


def record_audit_state(work: UnitOfWork, release_id: str, state: str) -> None:
    """Note how a release's measurement stands: ``none``, ``queued``, ``running``, ``done`` or ``failed``."""
    row = package_queries.find_release_by_id(work.session, release_id)
    assert row is not None
    row.audit_state = state


def record_audit_summary(work: UnitOfWork, release_id: str, summary: AuditSummary, blocked: str) -> None:
    """Write a finished audit's figures, and why the release may not be ``@latest`` (empty: it may)."""
    row = package_queries.find_release_by_id(work.session, release_id)
    assert row is not None
    row.audit_state = "done"
    row.audit_summary = summary.model_dump(mode="json")
    row.blocked = blocked
    refresh_package(work, row.package_id)


def record_difficulty(work: UnitOfWork, package_id: str, difficulty: Iterable[Difficulty]) -> None:
    """Write how hard a package is by what models reached on it; lists and search read it again."""
    package_queries.lock_package(work.session, package_id)
    package_queries.replace_facets(work.session, package_id, {"difficulty": [one.value for one in difficulty]})
    mark_changed(work.session, package_id)


def record_replays(work: UnitOfWork, digest: str, compared: int, mismatches: int) -> None:
    """Add the result of replaying a release's calls one isolation level higher."""
    count_queries.count_replays(work.session, digest, compared, mismatches)

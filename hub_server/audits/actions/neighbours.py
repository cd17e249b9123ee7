"""Near-duplicates over the whole hub: which verifiers have similar code, and which give the same verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

from hub_server.audits.actions.comparisons import comparison_plan, keep_comparison, record_of_comparison
from hub_server.audits.actions.disagreements import queue_gathering
from hub_server.audits.models import NeighbourRow, SourceMinhashRow
from hub_server.audits.queries import audits as audit_queries
from hub_server.audits.queries import comparisons as comparison_queries
from hub_server.audits.queries import neighbours as neighbour_queries
from hub_server.audits.rules.minhash import minhash_of, similarity
from hub_server.audits.rules.near_duplicates import (
    MOST_COPIES,
    SAME_SOURCE,
    Traits,
    behaves_alike,
    how_telling,
    is_comparable,
    promise,
    share_an_importer,
    worth_running,
)
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.execution.errors import NothingToExecuteError
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease
from hub_server.runs import actions as runs
from schemas.comparison import ComparisonPlan, ComparisonRecord, Neighbour, Neighbours, VerifierComparison
from schemas.manifest import RewardRole
from schemas.names import LATEST
from schemas.package import ReleaseState


@dataclass(frozen=True)
class PossibleNeighbour:
    """A verifier that may be a near-duplicate of another."""

    release_id: str
    similarity: float
    plan: ComparisonPlan[ExecutableRelease] | None
    """None: running both is not worth it, or one of them cannot run on this hub."""
    is_predecessor: bool = False
    """An earlier release of the same package: compared to find changed verdicts, and not listed as a neighbour."""


def queue_neighbours(work: UnitOfWork, release_id: str) -> None:
    """Queue the search for a release's near-duplicates."""
    work.queue(
        JobName.FIND_NEIGHBOURS, {"release_id": release_id}, unique_key=f"neighbours:{release_id}", delay_seconds=5
    )


def keep_minhash(work: UnitOfWork, release_id: str) -> None:
    """Compute and keep the MinHash signature of a release's source, unless it is there."""
    row = package_queries.find_release_by_id(work.session, release_id)
    assert row is not None, "releases are never deleted"
    if _traits(row) is None or neighbour_queries.find_minhashes(work.session, [row.id]):
        return
    contents = work.services.wheels.contents(row.digest)
    inside = f"{contents.manifest.import_name}/"
    files = {path: data for path, data in contents.files.items() if path.startswith(inside)}
    neighbour_queries.add_minhash(
        work.session, SourceMinhashRow(release_id=row.id, minhash={"minima": minhash_of(files)})
    )


def plan_neighbours(work: UnitOfWork, release_id: str) -> list[PossibleNeighbour]:
    """Other packages' shown verifiers with similar code or likely similar verdicts, and the release before this one.

    It looks at every shown verifier of the hub, so it writes nothing: no publish waits for it. One whose signature was
    not kept is left out until its own audit keeps it. However many there are, it finds ``MOST_RUN`` to run and
    ``MOST_COPIES`` copies beside them at most.
    """
    own = package_queries.find_release_by_id(work.session, release_id)
    assert own is not None, "releases are never deleted"
    traits = _traits(own)
    if traits is None:
        return []
    before = find_predecessor(work, own)
    flips = [PossibleNeighbour(before.id, 1.0, _plan_of(work, before, own), is_predecessor=True)] if before else []
    others = [row for row in audit_queries.shown_releases(work.session) if row.package_id != own.package_id]
    judging = [(row, found) for row in others if (found := _traits(row)) is not None]
    kept = neighbour_queries.find_minhashes(work.session, [own.id, *(row.id for row, _ in judging)])
    mine = kept[own.id]
    alike = {row.id: similarity(mine, kept[row.id]) for row, _ in judging if row.id in kept}
    weights = how_telling([traits, *(found for _, found in judging)])
    candidates = [
        (row, found)
        for row, found in judging
        if row.id in alike and not share_an_importer(traits, found, alike[row.id])
    ]
    chosen = worth_running([(row.id, promise(traits, found, alike[row.id], weights)) for row, found in candidates])
    rows = {row.id: row for row, _ in candidates}
    run = [PossibleNeighbour(name, alike[name], _plan_of(work, own, rows[name])) for name in chosen]
    copies = sorted(
        (name for name in rows if alike[name] >= SAME_SOURCE and name not in chosen),
        key=lambda name: (-alike[name], name),
    )[:MOST_COPIES]
    return [*flips, *run, *(PossibleNeighbour(name, alike[name], None) for name in copies)]


def _plan_of(work: UnitOfWork, one: ReleaseRow, other: ReleaseRow) -> ComparisonPlan[ExecutableRelease] | None:
    """None where this hub cannot run one of them: it asks for more memory than is given, or for a model."""
    try:
        return comparison_plan(work, one, other)
    except NothingToExecuteError:
        return None


def find_predecessor(work: UnitOfWork, own: ReleaseRow) -> ReleaseRow | None:
    """The next lower usable release of the same package with a verifier of its own; None without one."""
    for row in package_queries.releases_of(work.session, own.package_id):
        is_usable = row.state in (ReleaseState.ACTIVE, ReleaseState.DEPRECATED)
        if row.version_key < own.version_key and is_usable and _traits(row) is not None:
            return row
    return None


def find_flips(work: UnitOfWork, package_id: str, version: str) -> ComparisonRecord | None:
    """The release against the one before it, where the hub has compared them."""
    own = catalog.resolve_release(work, package_id, version)
    before = find_predecessor(work, own)
    if before is None:
        return None
    row = comparison_queries.find_comparison(work.session, before.id, own.id)
    return record_of_comparison(work, row) if row is not None and row.state == "done" else None


def _traits(row: ReleaseRow) -> Traits | None:
    """What a verifier is compared by. None for a package without one of its own: it behaves like the package that it
    uses.
    """
    manifest = catalog.release_of(row).manifest
    if manifest.verifier is None or manifest.foreign_verifier is not None:
        return None
    deciding = {name: reward.role for name, reward in manifest.rewards.items() if reward.role is not RewardRole.METRIC}
    rewards = frozenset((name, role.value) for name, role in deciding.items())
    return Traits(row.id, row.package_id, rewards, frozenset(manifest.tags), manifest.imported)


def copies_among(work: UnitOfWork, release_ids: Sequence[str]) -> dict[str, frozenset[str]]:
    """Each release -> those of the others that behave like it or have the same code, by the code itself: not every
    copy is kept as a neighbour.
    """
    kept = neighbour_queries.find_minhashes(work.session, release_ids)
    return {
        one: frozenset(neighbour_queries.copies_of(work.session, one, SAME_SOURCE))
        | {
            other
            for other in release_ids
            if other != one and similarity(kept.get(one, []), kept.get(other, [])) >= SAME_SOURCE
        }
        for one in release_ids
    }


def keep_neighbours(
    work: UnitOfWork, release_id: str, found: list[tuple[PossibleNeighbour, VerifierComparison | None]]
) -> None:
    """Replace what was known of a release's neighbours, seen from both sides."""
    neighbour_queries.forget_neighbours(work.session, release_id)
    for candidate, comparison in found:
        if candidate.is_predecessor:
            if comparison is not None:
                keep_comparison(work, candidate.release_id, release_id, comparison)
            continue
        is_copy = candidate.similarity >= SAME_SOURCE
        if not is_copy and (comparison is None or not is_comparable(comparison)):
            continue
        for one, other in ((release_id, candidate.release_id), (candidate.release_id, release_id)):
            work.session.add(_row(work, one, other, candidate, comparison))
        if comparison is not None:
            keep_comparison(work, release_id, candidate.release_id, comparison)
    work.session.flush()
    _look_again(work, {release_id, *(candidate.release_id for candidate, _ in found)})


def _look_again(work: UnitOfWork, release_ids: set[str]) -> None:
    """Let a verifier that is now comparable judge stored rollouts."""
    rows = package_queries.releases_by_ids(work.session, sorted(release_ids))
    for package in sorted({row.package_id for row in rows.values()}):
        if runs.newest_rollouts(work, package, 1):
            queue_gathering(work, package)


def _row(
    work: UnitOfWork, one: str, other: str, candidate: PossibleNeighbour, comparison: VerifierComparison | None
) -> NeighbourRow:
    distance = comparison.distance if comparison is not None else None
    return NeighbourRow(
        release_id=one,
        other_release_id=other,
        source_similarity=candidate.similarity,
        judged=comparison.judged if comparison is not None else 0,
        agreed=comparison.agreed if comparison is not None else 0,
        distance=distance.value if distance is not None else None,
        behaves_alike=comparison is not None and behaves_alike(comparison),
        suite_digest=comparison.suite_digest if comparison is not None else "",
        found_at=work.now,
    )


def list_neighbours(work: UnitOfWork, package_id: str, version: str = LATEST) -> Neighbours:
    """A release's neighbours, closest first: those that behave alike, then by agreement and by similarity of source."""
    release = catalog.resolve_release(work, package_id, version)
    items = [
        Neighbour(
            package=other,
            version=other_version,
            behaves_alike=row.behaves_alike,
            judged=row.judged,
            agreed=row.agreed,
            distance=row.distance,
            source_similarity=row.source_similarity,
            found_at=row.found_at,
        )
        for row, other, other_version in neighbour_queries.neighbours_of(work.session, release.id)
    ]
    return Neighbours(items=sorted(items, key=_closeness))


def _closeness(one: Neighbour) -> tuple[bool, float, float, str]:
    share = one.agreed / one.judged if one.judged else 0.0
    return not one.behaves_alike, -share, -one.source_similarity, one.package

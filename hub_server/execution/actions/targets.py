"""What judges a package's responses: its own verifier, or another package's."""

from dataclasses import dataclass

from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.execution.errors import NothingToExecuteError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease
from schemas.manifest import Manifest, RewardDeclaration
from schemas.names import LATEST


@dataclass(frozen=True)
class ScoringTarget:
    """Enough to judge responses after the transaction that found it is over."""

    package: str
    version: str
    digest: str
    verifier: ExecutableRelease
    rewards: dict[str, RewardDeclaration]
    file_splits: tuple[str, ...]


def executable_release(work: UnitOfWork, row: ReleaseRow) -> ExecutableRelease:
    """A release as the executor takes it: its bytes on local disk.

    Raises ``NothingToExecuteError`` for one that asks for more time or memory than this hub gives.
    """
    manifest = catalog.release_of(row).manifest
    refusal = work.services.settings.execution.why_not_run(manifest.sandbox)
    if refusal:
        raise NothingToExecuteError(f"{row.package_id} {row.version} cannot run here: {refusal}")
    return ExecutableRelease(
        package=row.package_id,
        version=row.version,
        digest=row.digest,
        wheel=work.services.wheels.path(row.digest),
        manifest=manifest,
    )


def scoring_target(work: UnitOfWork, package_id: str, version: str = LATEST) -> ScoringTarget:
    """The verifier behind a release. Raises ``NothingToExecuteError`` where there is none, ``QuarantinedError``."""
    return target_of(work, catalog.usable_release(work, package_id, version))


def target_of(work: UnitOfWork, row: ReleaseRow) -> ScoringTarget:
    """The verifier behind a release's row; a foreign one is resolved within this hub."""
    manifest = catalog.release_of(row).manifest
    verifier = _verifier_row(work, row, manifest)
    verifying = executable_release(work, verifier)
    owner = catalog.owner_of(work, verifier.package_id) if verifying.manifest.model is not None else ""
    if refusal := work.services.settings.judge.why_not_asked(verifying.manifest, owner):
        raise NothingToExecuteError(f"{row.package_id} {row.version} cannot be judged here: {refusal}.")
    return ScoringTarget(
        package=row.package_id,
        version=row.version,
        digest=row.digest,
        verifier=verifying,
        rewards=manifest.rewards or verifying.manifest.rewards,
        file_splits=tuple(split for split, count in row.task_counts.items() if count is not None),
    )


def _verifier_row(work: UnitOfWork, row: ReleaseRow, manifest: Manifest) -> ReleaseRow:
    reference = manifest.foreign_verifier
    if reference is not None:
        other = catalog.usable_release(work, reference.package, reference.selector)
        if catalog.release_of(other).manifest.foreign_verifier is not None:
            raise NothingToExecuteError(
                f"{reference} takes its own verifier from elsewhere: refer to that one directly."
            )
        row, manifest = other, catalog.release_of(other).manifest
    if manifest.verifier is None:
        raise NothingToExecuteError(f"{row.package_id} {row.version} has no verifier that could judge a response.")
    return row


def declared_rewards(work: UnitOfWork, package_id: str, version: str = LATEST) -> dict[str, RewardDeclaration]:
    """The reward vector that responses are judged by; empty where there is no verifier."""
    row = catalog.resolve_release(work, package_id, version)
    manifest = catalog.release_of(row).manifest
    if manifest.rewards or manifest.foreign_verifier is None:
        return manifest.rewards
    reference = manifest.foreign_verifier
    other = catalog.find_release(work, reference.package, reference.selector)
    return other.manifest.rewards if other is not None else {}

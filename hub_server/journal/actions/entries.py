"""Adds entries. Each is signed here, and gets its position when the transaction commits."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from hub_server.database import journal
from hub_server.database.visibility import private_packages
from hub_server.journal import queries
from hub_server.journal.models import SigningKeyRow
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.journal.entries import Act, Statement
from schemas.package import ReleaseState


def record_publish(work: UnitOfWork, package_id: str, version: str, digest: str, at: datetime) -> None:
    """Say that these bytes are this release, which everybody can see since ``at``."""
    add_entry(work, publish_of(package_id, version, digest, at))


def record_state(
    work: UnitOfWork, package_id: str, version: str, digest: str, state: ReleaseState, *, is_taken_down: bool
) -> None:
    """Say that a release has come into a state."""
    add_entry(work, state_of(package_id, version, digest, state, work.now, is_taken_down=is_taken_down))


def publish_of(package_id: str, version: str, digest: str, at: datetime) -> Statement:
    """That these bytes are this release, since ``at``."""
    sha256 = digest.removeprefix("sha256:")
    return Statement(act=Act.PUBLISH, package=package_id, version=version, sha256=sha256, at=at)


def state_of(
    package_id: str, version: str, digest: str, state: ReleaseState, at: datetime, *, is_taken_down: bool
) -> Statement:
    """That a release has come into a state at ``at``."""
    act = Act.TAKEN_DOWN if is_taken_down else Act(state.value)
    sha256 = digest.removeprefix("sha256:")
    return Statement(act=act, package=package_id, version=version, sha256=sha256, at=at)


def record_transfer(work: UnitOfWork, package_id: str, owner: str) -> None:
    """Say that ``owner`` has a package from now on: by the digest of the name, as no name stands in the journal."""
    sha256 = hashlib.sha256(owner.encode()).hexdigest()
    add_entry(work, Statement(act=Act.TRANSFER, package=package_id, sha256=sha256, at=work.now))


def add_entry(work: UnitOfWork, entry: Statement) -> None:
    """Sign an entry and add it with this transaction's commit. What is private is entered when it is made public."""
    add_entries(work, [entry])


def add_entries(work: UnitOfWork, entries: Sequence[Statement]) -> None:
    """The same for several, in order, with as many SQL statements as one takes for each 500 packages."""
    if not entries or work.services.settings.mirror.of:
        return  # a mirror's journal is the other hub's, word for word
    packages = dict.fromkeys(entry.package for entry in entries if entry.package is not None)
    private = private_packages(work.session, list(packages))
    public = [entry for entry in entries if entry.package not in private]
    if public:
        remember_key(work)
    signer = work.services.signer
    for entry in public:
        statement = entry.statement()
        journal.record(
            work.session,
            journal.NewEntry(
                act=entry.act.value,
                package_id=entry.package,
                version=entry.version,
                at=entry.at,
                statement=statement,
                key_id=signer.key_id,
                signature=signer.sign_statement(statement),
            ),
        )


def remember_key(work: UnitOfWork) -> None:
    """Remember the key in use as one of the hub's. Called by whatever signs."""
    signer = work.services.signer
    if queries.find_signing_key(work.session, signer.key_id) is None:
        queries.add_signing_key(
            work.session, SigningKeyRow(id=signer.key_id, public_key=signer.public_key, first_used_at=work.now)
        )

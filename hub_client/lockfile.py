"""Making, reading and writing verihub.lock."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import tomlkit
from pydantic import ValidationError

from hub_client.client import Hub, parse_reference
from hub_client.errors import CheckFailedError, IntegrityError, NotFoundError, PolicyError, UsageError
from hub_client.files import write_atomically
from hub_client.integrity.journal import Journal
from hub_client.releases.closure import load_with_needs
from hub_client.releases.resolve import LoadedPackage, Resolver
from sandbox.audit.report import report_digest
from schemas.lock import Lock, LockedPackage
from schemas.manifest import Manifest
from schemas.names import Reference, digest_of, split_release
from schemas.strict_toml import parse_toml
from schemas.wheels.requirements import LOCK_FILE_NAME

_DIGEST_LINE = re.compile(r'digest = "sha256:[0-9a-f]{64}"\n')
_HEADER = "Everything that rewards depend on. Written by `verihub lock`; commit it, and do not edit it."


def make_lock(hub: Hub, references: Sequence[str], *, images: bool, say: Callable[[str], None]) -> Lock:
    """Resolve ``references`` and everything they need.

    With ``images``, the sandbox builds their images and pins them.
    """
    found = load_with_needs(hub.resolver, [parse_reference(text) for text in references], say)
    loaded = {package.package: package for package in found}
    rows = [_row(hub, package, loaded, images=images) for _, package in sorted(loaded.items())]
    known = hub.journal.known()
    return Lock(
        origin=hub.url,
        keys=[str(key) for key in known.keys] if known is not None else [],
        checkpoint=known.note if known is not None else "",
        references=sorted(references),
        package=rows,
    )


def read_lock(path: Path) -> Lock:
    """Read a lock.

    Raises :class:`NotFoundError` without a file, :class:`IntegrityError` for one that is not as it was written,
    :class:`CheckFailedError` for one that does not pin all that it asks for.
    """
    try:
        text = path.read_bytes().decode()
        lock = Lock.model_validate(parse_toml(text))
    except FileNotFoundError:
        raise NotFoundError(f"there is no {path}: make one with `verihub lock OWNER/NAME …`") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise IntegrityError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}; lock again") from None
    except ValueError as error:
        raise IntegrityError(f"{path} is not valid TOML: {error}; lock again") from None
    if (lock.lock_version == 1) != (lock.digest is None) or lock.digest not in (None, _digest_of(text)):
        raise IntegrityError(f"{path} was changed after `verihub lock` wrote it: restore it, or lock again")
    if fault := _gap_in(lock):
        raise CheckFailedError(f"{path}: {fault}; lock again")
    return lock.model_copy(update={"digest": None})


def read_lock_of(path: Path, url: str) -> Lock:
    """Read a lock to be used with the hub at ``url``.

    One that was made at another address needs a journal: ``url`` must then be that hub or a mirror of it, which
    :func:`follow_journal` and each release's proof hold it to. Raises :class:`UsageError` for one without.
    """
    lock = read_lock(path)
    if lock.origin != url and not lock.checkpoint:
        raise UsageError(
            f"{path} was made with another hub ({lock.origin!r}), not with {url}, and holds no journal that would show "
            "that both are one: lock again, or name that hub with --url if you trust it"
        )
    return lock


def _digest_of(text: str) -> str:
    """The digest of a lock's text without the line that holds the digest."""
    return digest_of(
        "".join(line for line in text.splitlines(keepends=True) if not _DIGEST_LINE.fullmatch(line)).encode()
    )


def _gap_in(lock: Lock) -> str:
    """What the lock asks for but does not pin, as text; empty when everything is pinned."""
    pins = [f"{item.id}@{item.version}" for item in lock.package]
    if len({item.id for item in lock.package}) < len(pins):
        return "a package is pinned twice"
    for text in lock.references:
        reference = parse_reference(text)
        locked = lock.find(reference.package)
        if locked is None:
            return f"{text} is asked for and not pinned"
        fits = reference.digest == locked.archive if reference.digest else reference.choose([locked.version])
        if not fits:
            return f"{text} is asked for, and {locked.version} is pinned"
    wanted = {need for item in lock.package for need in item.requires}
    missing = sorted(wanted - set(pins))
    return f"{missing[0]} is needed and not pinned" if missing else ""


def follow_journal(journal: Journal, lock: Lock, path: Path, *, needs_proof: bool) -> None:
    """Compare the journal of the time of the lock with what is known of the hub's journal.

    ``needs_proof``: refuse a lock without a journal. Raises :class:`IntegrityError`.
    """
    if lock.checkpoint:
        journal.trust(lock.keys, lock.checkpoint, (item.id for item in lock.package if item.proven))
    elif needs_proof:
        raise IntegrityError(f"{path} holds no signed root of the hub's journal, which --frozen needs: lock again")


def load_pinned(resolver: Resolver, locked: LockedPackage, *, strict: bool) -> LoadedPackage:
    """The release that a lock pins, as the lock pins it. A quarantined one fails; a yanked one was pinned before."""
    try:
        package = resolver.load(Reference(package=locked.id, version=locked.version), strict=strict, any_age=True)
    except PolicyError as error:
        raise PolicyError(
            f"the lock pins this release, but it cannot be used: {error}", problem=error.problem
        ) from None
    check_pinned(locked, package)
    return package


def check_pinned(locked: LockedPackage, package: LoadedPackage) -> None:
    """Raise :class:`IntegrityError` when the release differs from its entry in the lock.

    ``image`` and ``audit`` are not compared: the image is known only where it was built, the audit only on the hub.
    """
    manifest = package.contents.manifest
    if package.digest != locked.archive:
        raise IntegrityError(
            f"{locked.id} {locked.version} is pinned as {locked.archive}, and the hub has {package.digest}: releases "
            "never change, so one of the two was tampered with"
        )
    if package.contents.size_bytes != locked.size_bytes:
        raise IntegrityError(f"{locked.id} {locked.version} has another size than its lock says: lock again")
    if {reference.package for reference in _needs(manifest)} != {split_release(text)[0] for text in locked.requires}:
        raise IntegrityError(f"{locked.id} {locked.version} needs other packages than its lock says: lock again")
    requirements = package.contents.files.get(f"{manifest.import_name}/{LOCK_FILE_NAME}")
    if (digest_of(requirements) if requirements else "") != locked.dependencies:
        raise IntegrityError(f"{locked.id} {locked.version} has other dependencies than its lock says: lock again")


def write_lock(lock: Lock, path: Path) -> None:
    """The lock as text, sorted, so that the same pins give the same bytes."""
    document = tomlkit.document()
    document.add(tomlkit.comment(_HEADER))
    data = lock.model_dump(mode="json", exclude={"digest"}) | {"lock_version": 2}
    rows = data.pop("package")
    for key, value in data.items():
        document.add(key, value)
    tables = tomlkit.aot()
    for row in rows:
        tables.append(
            tomlkit.item(
                {key: value for key, value in row.items() if value not in (None, "", []) and value is not False}
            )
        )
    document.add("package", tables)
    write_atomically(path, seal(tomlkit.dumps(document)).encode())


def seal(text: str) -> str:
    """A lock's text with the line that holds its digest, after the version."""
    version = "lock_version = 2\n"
    return text.replace(version, f'{version}digest = "{_digest_of(text)}"\n', 1)


def _needs(manifest: Manifest) -> list[Reference]:
    return [reference for _, reference in manifest.references]


def _row(hub: Hub, package: LoadedPackage, loaded: dict[str, LoadedPackage], *, images: bool) -> LockedPackage:
    assert package.release is not None
    manifest = package.contents.manifest
    lock_file = package.contents.files.get(f"{manifest.import_name}/{LOCK_FILE_NAME}")
    judges = manifest.verifier is not None and manifest.foreign_verifier is None
    return LockedPackage(
        id=package.package,
        version=package.version,
        archive=package.digest,
        size_bytes=package.contents.size_bytes,
        published_at=package.release.published_at,
        requires=sorted(loaded[reference.package].reference for reference in _needs(manifest)),
        dependencies=digest_of(lock_file) if lock_file else "",
        image=hub.runner().image_digest(package) if images and judges else "",
        audit=_audit_digest(hub, package) if judges and not hub.settings.offline else "",
        proven=package.vouched is not None,
    )


def _audit_digest(hub: Hub, package: LoadedPackage) -> str:
    """The newest finished report of the release; empty without one."""
    record = hub.newest_audit(package)
    return report_digest(record.report) if record is not None and record.report is not None else ""

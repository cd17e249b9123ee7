"""Making, reading and writing verihub.lock."""

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import tomlkit
from pydantic import ValidationError

from hub_client.client import Hub, parse_reference
from hub_client.errors import CheckFailedError, IntegrityError, NotFoundError
from hub_client.packaging.pack import write_atomically
from hub_client.releases.closure import load_with_needs
from hub_client.releases.resolve import LoadedPackage
from sandbox.audit.report import report_digest
from schemas.lock import Lock, LockedPackage
from schemas.manifest import Manifest
from schemas.names import Reference, digest_of
from schemas.requirements import LOCK_FILE_NAME

_HEADER = "Everything that rewards depend on. Written by `verihub lock`; commit it, and do not edit it."


def make_lock(hub: Hub, references: Sequence[str], *, images: bool, say: Callable[[str], None]) -> Lock:
    """Resolve ``references`` and everything they need.

    With ``images``, the sandbox builds their images and pins them.
    """
    found = load_with_needs(hub.resolver, [parse_reference(text) for text in references], say)
    loaded = {package.package: package for package in found}
    rows = [_row(hub, package, loaded, images=images) for _, package in sorted(loaded.items())]
    return Lock(origin=hub.url, references=sorted(references), package=rows)


def read_lock(path: Path) -> Lock:
    """Read a lock.

    Raises :class:`NotFoundError` without a file, :class:`CheckFailedError` when it is faulty or incomplete.
    """
    try:
        lock = Lock.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise NotFoundError(f"there is no {path}: make one with `verihub lock OWNER/NAME …`") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise CheckFailedError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}; lock again") from None
    except ValueError as error:
        raise CheckFailedError(f"{path} is not valid TOML: {error}; lock again") from None
    if fault := _gap_in(lock):
        raise CheckFailedError(f"{path}: {fault}; lock again")
    return lock


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
    if {reference.package for reference in _needs(manifest)} != {text.partition("@")[0] for text in locked.requires}:
        raise IntegrityError(f"{locked.id} {locked.version} needs other packages than its lock says: lock again")
    requirements = package.contents.files.get(f"{manifest.import_name}/{LOCK_FILE_NAME}")
    if (digest_of(requirements) if requirements else "") != locked.dependencies:
        raise IntegrityError(f"{locked.id} {locked.version} has other dependencies than its lock says: lock again")


def write_lock(lock: Lock, path: Path) -> None:
    """The lock as text, sorted, so that the same pins give the same bytes."""
    document = tomlkit.document()
    document.add(tomlkit.comment(_HEADER))
    data = lock.model_dump(mode="json")
    rows = data.pop("package")
    for key, value in data.items():
        document.add(key, value)
    tables = tomlkit.aot()
    for row in rows:
        tables.append(tomlkit.item({key: value for key, value in row.items() if value not in (None, "", [])}))
    document.add("package", tables)
    write_atomically(path, tomlkit.dumps(document).encode())


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
    )


def _audit_digest(hub: Hub, package: LoadedPackage) -> str:
    """The newest finished report of the release; empty without one."""
    record = hub.newest_audit(package)
    return report_digest(record.report) if record is not None and record.report is not None else ""

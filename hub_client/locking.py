"""Making, reading and writing verihub.lock."""

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import tomlkit
from pydantic import ValidationError

from hub_client.client import Hub, parse_reference
from hub_client.errors import CheckFailedError, NotFoundError
from hub_client.execution import digest_of_report
from hub_client.packing import write_atomically
from hub_client.requests import audits
from hub_client.resolving import LoadedPackage
from schemas.lock import Lock, LockedPackage
from schemas.manifest import Manifest
from schemas.names import Reference, digest_of
from schemas.requirements import LOCK_FILE_NAME

_HEADER = "Everything that rewards depend on. Written by `verihub lock`; commit it, and do not edit it."


def make_lock(hub: Hub, references: Sequence[str], *, images: bool, say: Callable[[str], None]) -> Lock:
    """Resolve ``references`` and all they need. With ``images`` the sandbox builds and names what runs them."""
    loaded: dict[str, LoadedPackage] = {}
    pending = [parse_reference(text) for text in references]
    while pending:
        reference = pending.pop()
        package = hub.resolver.load(reference)
        known = loaded.get(package.package)
        if known is not None and known.version != package.version:
            raise CheckFailedError(
                f"{package.package} is needed as {known.version} and as {package.version} ({reference}): "
                "name one version that all can use"
            )
        if known is None:
            say(f"{package.reference}  {package.digest}")
            loaded[package.package] = package
            pending += _needs(package.contents.manifest)
    rows = [_row(hub, package, loaded, images=images) for _, package in sorted(loaded.items())]
    return Lock(origin=hub.url, references=sorted(references), package=rows)


def read_lock(path: Path) -> Lock:
    """Raises :class:`NotFoundError` without a file, :class:`CheckFailedError` for one that is not sound."""
    try:
        return Lock.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise NotFoundError(f"there is no {path}: make one with `verihub lock OWNER/NAME …`") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise CheckFailedError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}; lock again") from None
    except ValueError as error:
        raise CheckFailedError(f"{path} is not valid TOML: {error}; lock again") from None


def write_lock(lock: Lock, path: Path) -> None:
    """Sorted and stable: the same pins give the same bytes."""
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
    foreign = [manifest.foreign_verifier] if manifest.foreign_verifier else []
    tools = [Reference.parse(tool) for tool in manifest.tools if "/" in tool]
    others = [Reference.parse(text) for text in [*manifest.environments, *manifest.harnesses]]
    return [*foreign, *tools, *others]


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
    records = hub.send(audits.list_audits(package.package, package.version)).items
    return next((digest_of_report(record.report) for record in records if record.report is not None), "")

"""Author's projects for tests, on disk as an author would have them."""

from collections.abc import Mapping
from pathlib import Path

from hub_client.commands.init import write_starter
from schemas.kinds import PackageKind
from schemas.names import import_name


def make_project(
    folder: Path,
    package_id: str = "alice/my-check",
    kind: PackageKind = PackageKind.VERIFIER,
    *,
    version: str = "0.1.0",
    session: bool = False,
    files: Mapping[str, str] | None = None,
) -> Path:
    """A starter in ``folder``; ``files`` replaces or adds files beside its ``verihub.toml``."""
    pinned = ["lecture/gsm8k@1.0.0"] if kind is PackageKind.BENCHMARK else []
    write_starter(package_id, kind, folder, session=session, environments=pinned)
    pyproject = folder / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('version = "0.1.0"', f'version = "{version}"'))
    for name, text in (files or {}).items():
        (folder / "src" / import_name(package_id) / name).write_text(text)
    return folder

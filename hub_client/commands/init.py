"""``verihub init``: a working package to start from."""

import importlib.resources
import shutil
import tempfile
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from hub_client.errors import ConflictError, UsageError
from hub_client.output import Output
from hub_client.settings import ClientSettings
from schemas.kinds import PackageKind
from schemas.names import InvalidNameError, check_package_id, distribution_name, import_name, split_package_id


def init(
    package_id: Annotated[
        str, typer.Argument(metavar="OWNER/NAME", help="The package's id, for example alice/my-check.")
    ],
    kind: Annotated[PackageKind, typer.Option(help="What the package is.")] = PackageKind.VERIFIER,
    folder: Annotated[Path | None, typer.Option(help="Where; default: a new folder called NAME.")] = None,
) -> None:
    """Start a package from a working example of its kind."""
    output = Output(ClientSettings.load())
    try:
        _, name = split_package_id(check_package_id(package_id))
    except InvalidNameError as error:
        raise UsageError(str(error)) from None
    target = folder or Path(name)
    write_starter(package_id, kind, target)
    human = f"{target} is a {kind} that works as it is.\n  verihub check {target}\n  verihub publish {target}"
    output.result({"folder": str(target), "id": package_id, "kind": kind.value}, human=human, quiet=str(target))


def write_starter(package_id: str, kind: PackageKind, target: Path) -> None:
    """Write the starter of ``kind`` into ``target``, which must be new or empty: all of it or nothing."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConflictError(f"{target} exists and is not empty: name another with --folder")
    words = {
        "@ID@": package_id,
        "@NAME@": split_package_id(package_id)[1],
        "@DISTRIBUTION@": distribution_name(package_id),
        "@IMPORT@": import_name(package_id),
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for path, text in _starter_files(kind, import_name(package_id)):
            place = fresh / path
            place.parent.mkdir(parents=True, exist_ok=True)
            for word, value in words.items():
                text = text.replace(word, value)  # noqa: PLW2901 -- each pass fills one placeholder
            place.write_text(text, encoding="utf-8")
        fresh.chmod(0o755)
        if target.exists():
            target.rmdir()
        fresh.replace(target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _starter_files(kind: PackageKind, package: str) -> Iterator[tuple[str, str]]:
    """(path in the project, text with placeholders). ``package/`` becomes ``src/<import name>/``."""
    root = importlib.resources.files("hub_client") / "starters" / kind.value
    for path, file in _walk(root, ""):
        shown = path.removesuffix(".template")
        if shown.startswith("package/"):
            shown = f"src/{package}/{shown.removeprefix('package/')}"
        yield shown, file.read_text(encoding="utf-8")


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry

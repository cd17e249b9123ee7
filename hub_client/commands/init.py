"""``verihub init``: a working package to start from."""

import importlib
import importlib.resources
import json
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any

import typer

from hub_client.commands.package_ids import whole_id
from hub_client.errors import ConflictError, HubUnreachableError, NotFoundError, UsageError
from hub_client.settings import ClientSettings
from hub_client.terminal.output import Output
from schemas.kinds import PackageKind
from schemas.names import (
    InvalidNameError,
    Reference,
    distribution_name,
    import_name,
    split_package_id,
)


def init(
    package_id: Annotated[
        str,
        typer.Argument(metavar="[OWNER/]NAME", help="The package's id. Without OWNER/: the account that is logged in."),
    ],
    kind: Annotated[PackageKind, typer.Option(help="What the package is.")] = PackageKind.VERIFIER,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to write it.  [default: a new folder called NAME]")
    ] = None,
    session: Annotated[
        bool, typer.Option("--session", help="For an environment: several turns, with reset and step.")
    ] = False,
    environment: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OWNER/NAME[@VERSION]", help="For a benchmark: an environment that it pins; may be repeated."
        ),
    ] = None,
) -> None:
    """Start a package from a working example of its kind.

    \b
    Examples:
      verihub init final-number
      verihub init alice/maze --kind environment --session
      verihub init alice/bench --kind benchmark --environment alice/maze
    """
    settings = ClientSettings.load()
    output = Output(settings)
    whole = whole_id(package_id, settings)
    target = folder or Path(split_package_id(whole)[1])
    if session and kind is not PackageKind.ENVIRONMENT:
        raise UsageError("--session belongs to --kind environment")
    if environment and kind is not PackageKind.BENCHMARK:
        raise UsageError("--environment belongs to --kind benchmark")
    pinned = [_pinned(text, settings) for text in environment or []]
    write_starter(whole, kind, target, session=session, environments=pinned)
    typed = shlex.quote(str(target))
    human = (
        f"{target} is {kind.with_article} that works as it is.\n"
        f"  verihub check {typed}\n  verihub publish {typed} --wait"
    )
    output.result({"folder": str(target), "id": whole, "kind": kind.value}, human=human, quiet=str(target))


def _pinned(text: str, settings: ClientSettings) -> str:
    """A reference as a benchmark needs it. Without a version, the newest version on the hub is used."""
    try:
        wanted = Reference.parse(text)
    except InvalidNameError as error:
        raise UsageError(f"--environment: {error}") from None
    if wanted.version or wanted.specifier or wanted.digest:
        return text
    client: Any = importlib.import_module("hub_client.client")  # Only this needs a hub.
    with client.Hub(settings=settings) as hub:
        try:
            return f"{wanted.package}@{hub.resolver.resolve(wanted).version}"
        except NotFoundError as error:
            raise NotFoundError(
                f"{error}\n  a benchmark pins published releases: publish the environment first", problem=error.problem
            ) from None
        except HubUnreachableError as error:
            raise HubUnreachableError(f"{error}\n  or name the version: --environment {wanted.package}@1.0.0") from None


def write_starter(
    package_id: str, kind: PackageKind, target: Path, *, session: bool = False, environments: Sequence[str] = ()
) -> None:
    """Write the starter of ``kind`` into ``target``, which must be new or empty. Everything is written, or nothing."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConflictError(f"{target} exists and is not empty: name another with --folder")
    if kind is PackageKind.BENCHMARK and not environments:
        raise UsageError("a benchmark pins environments: name one or more with --environment OWNER/NAME")
    words = {
        "@ID@": package_id,
        "@NAME@": split_package_id(package_id)[1],
        "@DISTRIBUTION@": distribution_name(package_id),
        "@IMPORT@": import_name(package_id),
        "@ENVIRONMENTS@": ", ".join(json.dumps(text) for text in environments),
    }
    starter = f"{kind.value}-session" if session else kind.value
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for path, text in _starter_files(starter, import_name(package_id)):
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


def _starter_files(starter: str, package: str) -> Iterator[tuple[str, str]]:
    """(path in the project, text with placeholders). ``package/`` becomes ``src/<import name>/``."""
    root = importlib.resources.files("hub_client") / "starters" / starter
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

"""``verihub pull``: a release onto this machine."""

from pathlib import Path
from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context, warn_of_author
from hub_client.errors import ConflictError, UsageError
from hub_client.releases.dependencies import fetch_locked
from hub_client.releases.resolve import LoadedPackage
from schemas.package import ReleaseState


def pull(
    references: Annotated[list[str], typer.Argument(metavar="OWNER/NAME[@VERSION]", help="Packages of the hub.")],
    unpack: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also write the files into this new folder.")
    ] = None,
    dependencies: Annotated[bool, typer.Option(help="Fetch locked dependencies as well.")] = True,
) -> None:
    """Fetch releases, with verifiers and dependencies they need, verified, into the cache.

    \b
    Examples:
      verihub pull lecture/gsm8k
      verihub pull lecture/gsm8k@2.3.4 --unpack gsm8k
    """
    if unpack is not None and len(references) > 1:
        raise UsageError("--unpack takes one reference at a time")
    wanted = [parse_reference(text) for text in references]
    with open_context() as context:
        pulled: list[LoadedPackage] = []
        with context.output.progress("pulling") as advance:
            for index, reference in enumerate(wanted):
                advance(index, len(wanted))
                package = context.hub.resolver.load(reference)
                pulled.append(package)
                foreign = package.contents.manifest.foreign_verifier
                if foreign is not None:
                    pulled.append(context.hub.resolver.load(foreign))
        for package in pulled:
            if package.release and package.release.state is not ReleaseState.ACTIVE:
                context.output.warn(f"{package.reference} is {package.release.state}: {package.release.state_reason}")
            warn_of_author(context, package)
            if dependencies:
                python = package.contents.metadata.box_python
                fetch_locked(package.contents.lock, context.hub.cache, offline=context.settings.offline, python=python)
        if unpack is not None:
            _unpack(pulled[0], unpack)
        items = [{"reference": item.reference, "digest": item.digest, "path": str(item.wheel)} for item in pulled]
        lines = [f"{item.reference}  {item.digest}\n  {item.wheel}" for item in pulled]
        context.output.result({"items": items}, human="\n".join(lines), quiet="\n".join(str(p.wheel) for p in pulled))


def _unpack(package: LoadedPackage, folder: Path) -> None:
    """Write the wheel's files. Their names were checked when it was read: none leads out of ``folder``."""
    if folder.exists() and any(folder.iterdir()):
        raise ConflictError(f"{folder} is not empty: name a new folder with --unpack")
    for path, content in package.contents.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

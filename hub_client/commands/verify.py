"""``verihub verify``: what the hub has signed about releases, and that it still says the same."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import CommandContext, open_context, warn_of_author
from hub_client.lockfile import follow_journal, load_pinned, read_lock_of
from hub_client.releases.resolve import LoadedPackage
from schemas.lock import LOCK_NAME
from schemas.names import InvalidNameError, Reference
from schemas.wording import counted


def verify(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="OWNER/NAME[@VERSION]|LOCK", help="Releases, or a lock.  [default: verihub.lock]"),
    ] = None,
) -> None:
    """Prove that the hub published exactly these bytes: digest, signature, place in its journal, author's signature.

    The journal must go on from what this machine, or the lock, saw of it before. Exits 7 for whatever does not fit.

    \b
    Examples:
      verihub verify lecture/gsm8k
      verihub verify verihub.lock --offline
    """
    with open_context() as context:
        packages: list[LoadedPackage] = []
        for target in targets or [LOCK_NAME]:
            packages += _verify(context, target)
        for package in packages:
            warn_of_author(context, package)
        lines = [_line(package) for package in packages]
        known = context.hub.journal.known()
        if known is not None:
            size = known.checkpoint.size
            lines.append(f"journal {known.origin}: {counted(size, 'entry', 'entries')}, signed by {known.keys[-1].id}")
        items = [_item(package) for package in packages]
        context.output.result({"items": items}, human="\n".join(lines), quiet="\n".join(p.reference for p in packages))


def _verify(context: CommandContext, target: str) -> list[LoadedPackage]:
    try:
        references = [Reference.parse(target)]
    except InvalidNameError:
        if not Path(target).is_file() and target != LOCK_NAME:
            references = [parse_reference(target)]  # which says what is wrong with it
        else:
            return _verify_lock(context, Path(target))
    return [context.hub.resolver.load(reference, strict=True, any_age=True) for reference in references]


def _verify_lock(context: CommandContext, path: Path) -> list[LoadedPackage]:
    lock = read_lock_of(path, context.settings.url)
    follow_journal(context.hub.journal, lock, path, needs_proof=True)
    return [load_pinned(context.hub.resolver, locked, strict=True) for locked in lock.package]


def _line(package: LoadedPackage) -> str:
    assert package.vouched is not None
    key = package.author.key_id
    author = f"signed by its author, key {key}" if key else "not signed by its author: the hub alone vouches for it"
    place = f"entry {package.vouched.position + 1} of {package.vouched.size}"
    return f"{package.reference}  {package.digest}\n  {place}\n  {author}"


def _item(package: LoadedPackage) -> dict[str, Any]:
    assert package.vouched is not None
    place = {"position": package.vouched.position, "size": package.vouched.size, "key": package.vouched.key_id}
    place["author_key"] = package.author.key_id
    return {"reference": package.reference, "digest": package.digest, **place, "journal": package.vouched.origin}

"""``verihub versions``: every release of a package, with its state and its grade."""

from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context
from hub_client.terminal.output import table
from schemas.names import LATEST
from schemas.package import Release, ReleaseState


def versions(name: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="One package.")]) -> None:
    """List a package's releases, the highest version first.

    \b
    Examples:
      verihub versions lecture/gsm8k
    """
    package = parse_reference(name).package
    with open_context() as context:
        found = context.hub.package(package)
        listing = table("version", "published", "by", "state", "grade", "reason")
        for release in found.releases:
            listing.add_row(
                release.version,
                f"{release.published_at:%Y-%m-%d}",
                release.published_by,
                _state_of(release, found.card.latest),
                release.audit.grade if release.audit is not None else "",
                release.state_reason or release.blocked_from_latest,
            )
        quiet = "\n".join(release.version for release in found.releases)
        context.output.result({"items": found.releases}, human=listing, quiet=quiet)
        if found.release_count is not None and found.release_count > len(found.releases):
            context.output.remark(f"the {len(found.releases)} highest of {found.release_count}")


def _state_of(release: Release, latest: str | None) -> str:
    """``latest`` where it is, and what else holds of it."""
    words = [LATEST] if release.version == latest else []
    return ", ".join([*words, release.state] if release.state is not ReleaseState.ACTIVE else words)

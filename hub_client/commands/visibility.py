"""``verihub visibility``: who sees a package, and a private one shown to everybody."""

from typing import Annotated, Literal

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context
from hub_client.commands.confirmation import require_yes
from hub_client.transport.requests import packages
from schemas.package import Visibility


def visibility(
    name: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="One package.")],
    state: Annotated[
        Literal["public"] | None, typer.Argument(help="Change it to this. Without it: show what it is.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Say who sees a package, or show a private one to everybody.

    What was public once cannot be made private: others may hold copies. A package begins private by
    `verihub publish --private`.

    \b
    Examples:
      verihub visibility acme/judge
      verihub visibility acme/judge public
    """
    package = parse_reference(name).package
    with open_context() as context:
        found = context.hub.package(package)
        if state is not None and found.card.visibility is Visibility.PRIVATE:
            require_yes(f"Show {package}, all its releases and counter-examples to everybody?", yes=yes)
            found = context.hub.send(packages.make_public(package))
        now = found.card.visibility
        seen = "everybody sees it" if now is Visibility.PUBLIC else f"only {found.owner} sees it, and its members"
        context.output.result({"package": package, "visibility": now}, human=f"{package} is {now}: {seen}", quiet=now)

"""``verihub yank``: a release that should not be chosen any more."""

from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context
from hub_client.errors import UsageError
from hub_client.transport.requests import packages


def yank(
    reference: Annotated[str, typer.Argument(metavar="OWNER/NAME@VERSION", help="One release.")],
    reason: Annotated[str, typer.Option(help="What is wrong with it, and what to use instead.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take it back.")] = False,
) -> None:
    """Take a release out of @latest and ranges; who pinned it exactly still gets it, with the reason.

    \b
    Examples:
      verihub yank alice/final-number@0.1.0 --reason 'accepts empty answers; use 0.2.0'
      verihub yank alice/final-number@0.1.0 --undo
    """
    wanted = parse_reference(reference)
    if wanted.version is None:
        raise UsageError(f"name one release, for example {wanted.package}@1.0.0")
    if not undo and not reason:
        raise UsageError("say why with --reason: whoever pinned this release will read it")
    with open_context() as context:
        act = "unyank" if undo else "yank"
        release = context.hub.send(packages.change_state(wanted.package, wanted.version, act, reason))
        context.output.result(release, human=f"{reference} is {release.state}", quiet=release.state)

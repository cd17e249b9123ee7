"""``verihub yank``: a release that should not be chosen any more."""

from typing import Annotated

import typer

from hub_client.commands.release_state import change_state


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
    missing = "say why with --reason: whoever pinned this release will read it"
    change_state(reference, "yank", reason, undo=undo, wanted_reason=missing)

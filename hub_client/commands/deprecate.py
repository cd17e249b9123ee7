"""``verihub deprecate``: a release that still works, and what to use instead."""

from typing import Annotated

import typer

from hub_client.commands.release_state import change_state


def deprecate(
    reference: Annotated[str, typer.Argument(metavar="OWNER/NAME@VERSION", help="One release.")],
    reason: Annotated[str, typer.Option(help="What to use instead, and why.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take it back.")] = False,
) -> None:
    """Say what to use instead of a release. It is resolved as before; whoever uses it reads the reason.

    \b
    Examples:
      verihub deprecate alice/final-number@0.1.0 --reason 'use 0.2.0, which reads fractions'
      verihub deprecate alice/final-number@0.1.0 --undo
    """
    missing = "say what to use instead with --reason: whoever uses this release will read it"
    change_state(reference, "deprecate", reason, undo=undo, wanted_reason=missing)

"""Asks before what cannot be undone."""

import sys

import typer

from hub_client.errors import UsageError


def require_yes(question: str, *, yes: bool) -> None:
    """Ask, unless ``--yes`` has answered. Raises :class:`UsageError` for every other answer, and for none."""
    if yes:
        return
    try:
        is_wanted = typer.confirm(question, err=True)
    except typer.Abort:
        if sys.stdin.isatty():
            raise
        raise UsageError("nothing was changed: there is no terminal to answer on; --yes answers") from None
    if not is_wanted:
        raise UsageError("nothing was changed")

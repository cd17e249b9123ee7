"""What yanking and deprecating share: one release, a reason, and the way back."""

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context
from hub_client.errors import UsageError
from hub_client.transport.requests import packages


def change_state(reference: str, act: str, reason: str, *, undo: bool, wanted_reason: str) -> None:
    """Yank or deprecate a release (``act``), or undo that, and print its state.

    ``wanted_reason``: the refusal where no reason was given.
    """
    wanted = parse_reference(reference)
    if wanted.version is None:
        raise UsageError(f"name one release, for example {wanted.package}@1.0.0")
    if not undo and not reason:
        raise UsageError(wanted_reason)
    with open_context() as context:
        call = packages.change_state(wanted.package, wanted.version, f"un{act}" if undo else act, reason)
        release = context.hub.send(call)
        context.output.result(release, human=f"{reference} is {release.state}", quiet=release.state)

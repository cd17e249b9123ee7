"""``verihub lock``: pin what rewards depend on."""

from pathlib import Path
from typing import Annotated

import typer

from hub_client.commands.command_context import open_context
from hub_client.errors import UsageError
from hub_client.lockfile import make_lock, read_lock, write_lock
from schemas.lock import LOCK_NAME
from schemas.wording import counted


def lock(
    references: Annotated[
        list[str] | None,
        typer.Argument(metavar="OWNER/NAME[@VERSION]", help="What to pin.  [default: what the lock has]"),
    ] = None,
    path: Annotated[Path, typer.Option("--file", metavar="FILE", help="The lock.")] = Path(LOCK_NAME),
    images: Annotated[bool, typer.Option(help="Build images and pin them too.")] = True,
) -> None:
    """Pin packages, with what they need, their images and their audits in verihub.lock.

    \b
    Examples:
      verihub lock lecture/gsm8k 'lecture/tool-loop@>=1,<2'
    """
    if not references and not path.is_file():
        raise UsageError("name what to lock, for example lecture/gsm8k")
    with open_context() as context:
        wanted = references or read_lock(path).references
        made = make_lock(context.hub, wanted, images=images, say=context.output.remark)
        write_lock(made, path)
        context.output.result(
            made, human=f"{path} pins {counted(len(made.package), 'package')} of {made.origin}", quiet=str(path)
        )

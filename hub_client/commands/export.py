"""``verihub export``: an environment as a package of another framework."""

from pathlib import Path
from typing import Annotated

import typer

from hub_client.adapters.verifiers_export import write_package
from hub_client.client import project_folder
from hub_client.commands.session import open_session


def export(
    target: Annotated[str, typer.Argument(metavar="FOLDER|OWNER/NAME[@…]")],
    folder: Annotated[Path, typer.Argument(help="Where the package is written; must not be there yet.")],
) -> None:
    """Write a package by which `verifiers` and prime-rl find this environment, pinned to its release."""
    with open_session() as session:
        env = session.hub.environment(target)
        local = project_folder(target)
        name = write_package(env, folder, target=str(local.resolve()) if local is not None else None)
        session.output.result(
            {"id": name, "folder": str(folder), "digest": env.digest},
            human=f"{name}: pip install {folder}, then vf-eval {name}",
            quiet=name,
        )

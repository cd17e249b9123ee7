"""``verihub export``: an environment as another framework's files."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hub_client.adapters.harbor import write_tasks
from hub_client.adapters.verifiers_export import write_package
from hub_client.client import project_folder
from hub_client.commands.command_context import CommandContext, open_context
from hub_client.environments import Environment
from hub_client.releases.dependencies import fetch_locked
from schemas.wording import counted


class Framework(StrEnum):
    """The framework to export for."""

    VERIFIERS = "verifiers"
    HARBOR = "harbor"


def export(
    target: Annotated[
        str,
        typer.Argument(metavar="FOLDER|OWNER/NAME[@VERSION]", help="A project folder (./x) or a package of the hub."),
    ],
    folder: Annotated[Path, typer.Argument(metavar="NEW-FOLDER", help="Where to write; it must not be there yet.")],
    framework: Annotated[
        Framework, typer.Option("--for", help="verifiers (and prime-rl): a package. harbor: a directory a task.")
    ] = Framework.VERIFIERS,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="harbor: which tasks.  [default: test where there is one]")
    ] = None,
    tasks: Annotated[int, typer.Option(min=1, help="harbor: how many tasks.")] = 20,
    seed: Annotated[int, typer.Option(help="harbor: the seed of a generated split.")] = 0,
) -> None:
    """Write an environment, pinned to its release, in the form that `verifiers` and prime-rl, or Harbor, read.

    \b
    Examples:
      verihub export lecture/gsm8k gsm8k-env
      verihub export lecture/gsm8k tasks --for harbor --split test --tasks 50
    """
    with open_context() as context:
        env = context.hub.environment(target)
        if framework is Framework.HARBOR:
            _export_harbor(context, env, folder, split, seed, tasks)
            return
        local = project_folder(target)
        where = {"target": str(local.resolve())} if local is not None else {"hub_url": context.settings.url}
        name = write_package(env, folder, **where)
        context.output.result(
            {"id": name, "folder": str(folder), "digest": env.digest},
            human=f"{name}: pip install {folder}, then vf-eval {name}",
            quiet=name,
        )


def _export_harbor(
    context: CommandContext, env: Environment, folder: Path, split: str | None, seed: int, tasks: int
) -> None:
    """Task directories, with the wheels that the verifier needs."""
    judge = env.judge.contents
    python = judge.metadata.box_python
    locked = fetch_locked(judge.lock, context.hub.cache, offline=context.settings.offline, python=python)
    wheels = [path for _, _, path in locked]
    made = write_tasks(env, folder, split=split, seed=seed, limit=tasks, wheels=wheels)
    context.output.result(
        {"folder": str(folder), "tasks": [path.name for path in made], "digest": env.digest},
        human=f"{counted(len(made), 'task')} in {folder}: harbor run -p {folder}",
        quiet=str(folder),
    )

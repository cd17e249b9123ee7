"""``verihub openenv``: an environment behind OpenEnv's protocol."""

import importlib
from typing import Annotated, Any

import typer

from hub_client.commands.command_context import open_context
from hub_client.commands.host_header import HostCheck, is_loopback
from hub_client.errors import UsageError
from schemas.extras import how_to_install

_ADAPTER = "hub_client.adapters.openenv"  # needs OpenEnv, which is needed only here


def openenv(
    target: Annotated[
        str,
        typer.Argument(metavar="FOLDER|OWNER/NAME[@VERSION]", help="A project folder (./x) or a package of the hub."),
    ],
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; OpenEnv's own images use 8000.")] = 8000,
    split: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The split for clients that do not choose one.  [default: the first]"),
    ] = None,
    sessions: Annotated[int, typer.Option(min=1, help="How many clients at once.")] = 64,
) -> None:
    """Serve an environment to OpenEnv's clients, with the whole reward vector in the observation, until Ctrl-C.

    \b
    Examples:
      verihub openenv lecture/wordle --port 8000
    """
    try:
        adapter: Any = importlib.import_module(_ADAPTER)
        uvicorn: Any = importlib.import_module("uvicorn")
    except ModuleNotFoundError as error:
        raise UsageError(f"`verihub openenv` needs {error.name}: {how_to_install('openenv')}") from None
    with open_context() as context:
        env = context.hub.environment(target)
        app = adapter.make_app(env, split=split, sessions=sessions)
        if not is_loopback(host):
            context.output.warn(f"whoever reaches {host} may play these episodes: nobody is asked for a token here")
        context.output.remark(f"{env.package.reference} at ws://{host}:{port}/ws (Ctrl-C ends it)")
        uvicorn.run(HostCheck(app, host), host=host, port=port, log_level="warning")

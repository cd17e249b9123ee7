"""``python -m hub_server serve | worker | admin``: the hub without the client's command line."""

import typer

from hub_server import cli
from hub_server.admin import command

app = typer.Typer(add_completion=False, no_args_is_help=True)
app.command()(cli.serve)
app.command()(cli.worker)
app.add_typer(command.app, name="admin")

if __name__ == "__main__":
    app()

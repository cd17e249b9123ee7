"""``python -m hub_server serve | worker``: the hub without the client's command line."""

import typer

from hub_server import cli

app = typer.Typer(add_completion=False, no_args_is_help=True)
app.command()(cli.serve)
app.command()(cli.worker)

if __name__ == "__main__":
    app()

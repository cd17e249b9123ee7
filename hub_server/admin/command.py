"""``verihub admin``: the command with all its subcommands."""

import typer

from hub_server.admin import moderation

app = typer.Typer(
    help="Moderate and maintain a hub on its own machine. What is done stands in the public log, by 'operator'.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, function in moderation.COMMANDS.items():
    app.command(name, help=function.__doc__)(function)

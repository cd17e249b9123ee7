"""``verihub admin``: the command with all its subcommands."""

from collections.abc import Callable
from typing import Any

import typer

from hub_server.admin import moderation
from hub_server.admin.activity import activity
from hub_server.admin.backup import backup, restore
from hub_server.admin.fsck import fsck
from hub_server.admin.gc import gc
from hub_server.admin.read_only import read_only
from hub_server.admin.reindex import reindex
from hub_server.admin.rotate_key import rotate_key
from hub_server.admin.seed import seed

app = typer.Typer(
    help="Moderate and maintain a hub on its own machine. What is done stands in the public log, by 'operator'.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_MAINTENANCE = (activity, backup, restore, fsck, gc, read_only, reindex, rotate_key, seed)
_COMMANDS: dict[str, Callable[..., Any]] = dict(moderation.COMMANDS)
_COMMANDS |= {one.__name__.replace("_", "-"): one for one in _MAINTENANCE}
for name, function in _COMMANDS.items():
    app.command(name, help=function.__doc__)(function)

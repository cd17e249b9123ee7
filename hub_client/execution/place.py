"""Chooses where packages run: in this machine's sandbox, or on the hub."""

import importlib
from collections.abc import Callable

from hub_client.errors import SandboxMissingError
from hub_client.execution.on_hub import HubRunner
from hub_client.execution.runner import Runner
from hub_client.releases.cache import Cache
from hub_client.settings import ClientSettings, Place
from hub_client.transport.connection import AsyncConnection, HubConnection
from schemas.extras import how_to_install

# The sandbox is slow to import, and most commands run nothing. It is imported when something is run.
_EXECUTION = "hub_client.execution.here"


def choose_runner(
    settings: ClientSettings, cache: Cache, connection: HubConnection, make_async: Callable[[], AsyncConnection]
) -> Runner:
    """The runner that ``settings.run_at`` asks for; ``auto`` takes the hub where this machine has no sandbox."""
    if settings.run_at is Place.HUB:
        return HubRunner(connection, make_async)
    try:
        return open_local(settings, cache)
    except SandboxMissingError:
        if settings.run_at is Place.HERE or settings.offline:
            raise
        return HubRunner(connection, make_async)


def open_local(settings: ClientSettings, cache: Cache) -> Runner:
    """Open the sandbox of this machine or of its cluster. Raises :class:`SandboxMissingError` with what to do."""
    try:
        execution = importlib.import_module(_EXECUTION)
    except ModuleNotFoundError as error:
        raise SandboxMissingError(
            f"a sandbox on this machine needs the package {error.name}: {how_to_install('sandbox')}"
        ) from None
    runner: Runner = execution.open_runner(settings, cache)
    return runner

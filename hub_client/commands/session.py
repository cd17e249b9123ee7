"""What every command starts from: settings, a voice, and a hub that is closed at the end."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hub_client.client import Hub
from hub_client.output import Output
from hub_client.settings import ClientSettings


@dataclass(frozen=True)
class Session:
    """One command's run."""

    settings: ClientSettings
    output: Output
    hub: Hub


@contextmanager
def open_session(token: str | None = None) -> Iterator[Session]:
    """Settings are read once; boxes and connections end with the ``with``, also after Ctrl-C."""
    settings = ClientSettings.load(token=token)
    with Hub(settings=settings) as hub:
        yield Session(settings, Output(settings), hub)

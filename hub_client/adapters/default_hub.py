"""One hub for each process, for frameworks that import a function by name and cannot pass a hub to it."""

import atexit
import threading
from functools import cache, cached_property

from hub_client.client import Hub
from hub_client.environments import Environment, Verifier
from hub_client.errors import UsageError
from hub_client.run_report import RunReport
from hub_client.settings import ClientSettings


class DefaultHub:
    """Opened at first use with the usual settings, closed when the process ends. Thread-safe.

    ``url``: the hub that an exported package names. It is used if no setting names a hub.
    """

    def __init__(self, url: str = "") -> None:
        self._url = url
        self._lock = threading.Lock()
        self._environments: dict[str, Environment] = {}
        self._verifiers: dict[str, Verifier] = {}

    def environment(self, target: str) -> Environment:
        """An environment by reference or folder; the same object every time."""
        with self._lock:
            if target not in self._environments:
                self._environments[target] = self._hub.environment(target)
            return self._environments[target]

    def verifier(self, target: str) -> Verifier:
        """A verifier by reference or folder; the same object every time."""
        with self._lock:
            if target not in self._verifiers:
                self._verifiers[target] = self._hub.verifier(target)
            return self._verifiers[target]

    def report(self, name: str, verifier: Verifier, held_out: str = "") -> RunReport:
        """A run of that name, to be reported; ``held_out`` is a reference or a folder."""
        return RunReport(self._hub, name, verifier, held_out=self.verifier(held_out) if held_out else None)

    @cached_property
    def _hub(self) -> Hub:
        hub = Hub(settings=_settings(self._url))
        atexit.register(hub.close)
        return hub


def _settings(url: str) -> ClientSettings:
    """Raises UsageError if a token is set but no hub: otherwise somebody else's package would choose who gets the
    token.
    """
    settings = ClientSettings.load()
    if not url or "url" in settings.model_fields_set:
        return settings
    if settings.token:
        raise UsageError(f"a token is set, but not the hub that it is for; if it is for {url}, set VERIHUB_URL to that")
    return ClientSettings.load(url=url)


@cache
def hub_at(url: str) -> DefaultHub:
    """The hub for packages that name ``url``; the same object every time."""
    return DefaultHub(url)


DEFAULT_HUB = hub_at("")

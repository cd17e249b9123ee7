"""One hub for each process, for frameworks that import a function by name and cannot pass a hub to it."""

import atexit
import threading
from functools import cached_property

from hub_client.client import Hub
from hub_client.environments import Environment, Verifier


class DefaultHub:
    """Opened at first use with the usual settings, closed when the process ends. Thread-safe."""

    def __init__(self) -> None:
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

    @cached_property
    def _hub(self) -> Hub:
        hub = Hub()
        atexit.register(hub.close)
        return hub


DEFAULT_HUB = DefaultHub()

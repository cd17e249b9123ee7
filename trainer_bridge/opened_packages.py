"""A hub that remembers which version each name was when it was opened, and opens the same versions again."""

from collections.abc import Mapping
from typing import Any

from hub_client.client import project_folder
from hub_client.transport.requests.call import ApiCall
from hub_client.unsent_reports import RunSink
from schemas.known_audit import KnownAudit
from schemas.run import PinnedPackage
from trainer_bridge.ports import Answer, Environment, Hub, Verifier


class OpenedPackages:
    """``hub`` for one run. ``found`` says, for each name that was asked for, what it was.

    ``pins``: what names meant in an earlier run. They mean it again, whatever newer releases there are. A project
    folder has no versions and is opened as it is.
    """

    def __init__(self, hub: Hub, pins: Mapping[str, PinnedPackage] | None = None) -> None:
        self._hub, self._pins = hub, pins or {}
        self.found: dict[str, PinnedPackage] = {}

    @property
    def runs(self) -> RunSink:
        """The hub's runs."""
        return self._hub.runs

    @property
    def is_offline(self) -> bool:
        """Whether nobody is asked."""
        return self._hub.is_offline

    def environment(self, target: str) -> Environment:
        """Open an environment."""
        found = self._hub.environment(self._reference(target))
        self._note(target, found.manifest.id, found)
        return found

    def verifier(self, target: str) -> Verifier:
        """Open a verifier."""
        found = self._hub.verifier(self._reference(target))
        self._note(target, found.manifest.id, found)
        return found

    def load(self, target: str) -> Any:
        """Load a package: a harness, tools, a recipe."""
        found = self._hub.load(self._reference(target))
        self._note(target, found.contents.manifest.id, found)
        return found

    def send(self, call: ApiCall[Answer]) -> Answer:
        """One call of the hub's API."""
        return self._hub.send(call)

    def known_audit(self, verifier: Any) -> KnownAudit | None:
        """The newest audit of what judges."""
        return self._hub.known_audit(verifier)

    def runner(self) -> Any:
        """What runs packages."""
        return self._hub.runner()

    def _reference(self, target: str) -> str:
        pin = self._pins.get(target)
        return target if pin is None or project_folder(target) is not None else f"{pin.package}@{pin.version}"

    def _note(self, target: str, package: str, found: Any) -> None:
        self.found[target] = PinnedPackage(package=package, version=found.version, digest=found.digest)

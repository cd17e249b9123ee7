"""Opens a harness by name, with its own tools and those that a user adds."""

from collections.abc import Sequence
from typing import Any, Protocol

from hub_client.errors import UsageError
from hub_client.evaluation.built_in_loop import BuiltInLoop
from hub_client.evaluation.harness import Harness, PackagedLoop
from hub_client.releases.resolve import LoadedPackage
from schemas.kinds import PackageKind


class Opens(Protocol):
    """The methods of a hub that are used here."""

    def load(self, target: str) -> Any: ...
    def runner(self) -> Any: ...


def open_harness(hub: Opens, name: str, extra_tools: Sequence[LoadedPackage] = ()) -> Harness:
    """The harness package ``name``; without a name, the loop that is built in.

    Raises:
        UsageError: the package is no harness, or a tool of it is none.

    """
    if not name:
        return Harness(BuiltInLoop(), hub.runner(), extra_tools)
    package: LoadedPackage = hub.load(name)
    manifest = package.contents.manifest
    if manifest.kind is not PackageKind.HARNESS:
        raise UsageError(f"{package.reference} is {manifest.kind.with_article}, no harness: one is lecture/single-turn")
    own = [open_tool(hub, str(reference)) for reference in manifest.foreign_tools]
    return Harness(PackagedLoop(package, hub.runner()), hub.runner(), extra_tools, own)


def open_tool(hub: Opens, reference: str) -> LoadedPackage:
    """A package with tools of its own. Raises :class:`UsageError` for any other."""
    package: LoadedPackage = hub.load(reference)
    if not package.contents.manifest.own_tools:
        raise UsageError(
            f"{package.reference} is {package.contents.manifest.kind.with_article} without tools of its own"
        )
    return package

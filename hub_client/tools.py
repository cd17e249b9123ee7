"""Collects the tools of several packages for one caller. `verihub mcp` serves them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hub_client.client import Hub
from hub_client.errors import CheckFailedError, NotFoundError, SandboxMissingError, UsageError
from hub_client.releases.resolve import LoadedPackage


@dataclass(frozen=True)
class ToolSet:
    """Packages whose tools are served together, and the task that a session among them plays."""

    packages: tuple[LoadedPackage, ...]
    task: dict[str, Any] | None
    seed: int = 0

    @property
    def is_stateful(self) -> bool:
        """Whether one of them is a session."""
        return any(package.contents.manifest.session is not None for package in self.packages)

    @property
    def name(self) -> str:
        """``owner/name`` of the first, and how many more."""
        more = len(self.packages) - 1
        return self.packages[0].package + (f" and {more} more" if more else "")

    @property
    def about(self) -> str:
        """A line for each package."""
        return "\n".join(
            f"{package.reference}: {package.contents.metadata.summary}".strip() for package in self.packages
        )


def gather_tools(hub: Hub, targets: Sequence[str], *, task: str | None = None, seed: int = 0) -> ToolSet:
    """The packages behind ``targets``: their own tools, the tool packages that they name, and sessions.

    ``task`` is the id of a stored task for the session among them; without it the first task is played.
    """
    found: dict[str, LoadedPackage] = {}
    for target in targets:
        for package in _with_references(hub, hub.load(target)):
            found[package.digest] = package
    packages = tuple(package for package in found.values() if _has_tools(package))
    if not packages:
        raise CheckFailedError(f"{', '.join(targets)}: no tools here (verihub.toml names them in tools, or a session)")
    playing = [package for package in packages if package.contents.manifest.session is not None]
    if task is not None and len(playing) != 1:
        raise UsageError(f"--task belongs to one session, and there are {len(playing)} among these packages")
    if len(playing) > 1:
        raise UsageError(
            f"{' and '.join(package.reference for package in playing)} are both sessions: serve one at a time"
        )
    return ToolSet(packages, _task(hub, playing[0], task, seed) if playing else None, seed)


def open_tool_session(hub: Hub, tools: ToolSet) -> Any:
    """The tools in boxes of this machine; a ``BlockingToolSession``. Raises SandboxMissingError."""
    make = getattr(hub.runner(), "tool_session", None)
    if make is None:
        address = f"{hub.url}/api/v1/packages/{tools.packages[0].package}/releases/latest/mcp"
        raise SandboxMissingError(
            "tools are served from a sandbox on this machine, and there is none: start Docker (see `verihub doctor`), "
            f"or let your client connect to the hub itself: {address}"
        )
    return make(tools.packages, tools.task, tools.seed)


def _with_references(hub: Hub, package: LoadedPackage) -> list[LoadedPackage]:
    return [package, *(hub.resolver.load(reference) for reference in package.contents.manifest.foreign_tools)]


def _has_tools(package: LoadedPackage) -> bool:
    manifest = package.contents.manifest
    return bool(manifest.own_tools) or manifest.session is not None


def _task(hub: Hub, package: LoadedPackage, task_id: str | None, seed: int) -> dict[str, Any]:
    """The task of that id, or the first of the first split."""
    environment = hub.environment_of(package)
    if task_id is not None:
        found = environment.find_task(task_id)
        if found is None:
            raise NotFoundError(f"{package.reference} has no stored task {task_id!r}")
        return found
    split = next(iter(environment.manifest.tasks))
    first = next(iter(environment.tasks(split, seed=seed, limit=1)), None)
    if first is None:
        raise NotFoundError(f"{package.reference} has no task in its split {split!r}")
    return first

"""Makes a sandbox from settings: over the boxes of this machine, or over other machines."""

from collections.abc import Sequence

from sandbox.backends import BACKENDS, make_backend
from sandbox.errors import SandboxUnavailableError
from sandbox.images.source_wheel import BuiltWheel
from sandbox.protocol import SandboxProtocol
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings

SANDBOXES = (*BACKENDS, "remote", "ray")
"""Every backend and cluster link that can be named."""


def build_source(requirement: str, python: str, digests: Sequence[str] = ()) -> BuiltWheel:
    """Build a dependency's source archive in a box of this machine's engine: see ``sandbox.images.source_builds``.

    Raises SandboxUnavailableError, with what to do, when it cannot work here.
    """
    try:
        from sandbox.backends.docker import source_builder  # noqa: PLC0415 -- docker-py is an extra
    except ModuleNotFoundError as error:
        raise SandboxUnavailableError(
            f"{requirement} has no wheel, and building it in a box needs {error.name}: pip install 'verihub[sandbox]'"
        ) from None
    return source_builder.build_source(requirement, python, digests)


def make_sandbox(name: str, settings: SandboxSettings | None = None) -> SandboxProtocol:
    """A sandbox over the backend of that name, or over other machines: Ray's, or those that commands reach.

    Raises SandboxUnavailableError, with what to do, when it cannot work here.
    """
    settings = settings or SandboxSettings()
    if name == "remote":
        from sandbox.cluster.links.command import CommandCluster  # noqa: PLC0415 -- as above
        from sandbox.cluster.sandbox import ClusterSandbox  # noqa: PLC0415 -- only what is asked for is loaded
        from sandbox.cluster.settings import RemoteSettings  # noqa: PLC0415 -- as above

        return ClusterSandbox(CommandCluster(settings, RemoteSettings()), settings)
    if name != "ray":
        return Sandbox(make_backend(name, settings), settings)
    try:
        from sandbox.cluster.links.ray import RayCluster  # noqa: PLC0415 -- ray is an extra
    except ModuleNotFoundError as error:
        raise SandboxUnavailableError(
            f"a sandbox of many machines needs the package {error.name}: pip install 'verihub[ray]'"
        ) from None
    from sandbox.cluster.sandbox import ClusterSandbox  # noqa: PLC0415 -- only what is asked for is loaded
    from sandbox.cluster.settings import RaySettings  # noqa: PLC0415 -- only what is asked for is loaded

    return ClusterSandbox(RayCluster(settings, RaySettings()), settings)

"""Where boxes come from: Docker, plain processes for trusted code, a script for tests; or the nodes of a cluster."""

from sandbox.errors import SandboxUnavailableError
from sandbox.front_door import FrontDoor
from sandbox.interface import Backend
from sandbox.running import Sandbox
from sandbox.settings import SandboxSettings

BACKENDS = ("docker", "local", "scripted")
"""Those that open boxes here."""
SANDBOXES = (*BACKENDS, "remote", "ray")
"""All that can be asked to run something."""


def make_sandbox(name: str, settings: SandboxSettings | None = None) -> FrontDoor:
    """A sandbox over the backend of that name, or over other machines: Ray's, or those that commands reach.

    Raises SandboxUnavailableError, with what to do, when it cannot work here.
    """
    settings = settings or SandboxSettings()
    if name == "remote":
        from sandbox.backends.ray.running import RaySandbox  # noqa: PLC0415 -- only what is asked for is loaded
        from sandbox.backends.remote import CommandCluster, RemoteSettings  # noqa: PLC0415 -- as above

        return RaySandbox(CommandCluster(settings, RemoteSettings()), settings)
    if name != "ray":
        return Sandbox(make_backend(name, settings), settings)
    try:
        from sandbox.backends.ray.cluster import RayCluster  # noqa: PLC0415 -- ray is an extra
    except ModuleNotFoundError as error:
        raise SandboxUnavailableError(
            f"a sandbox of many machines needs the package {error.name}: pip install 'verihub[ray]'"
        ) from None
    from sandbox.backends.ray.running import RaySandbox  # noqa: PLC0415 -- only what is asked for is loaded
    from sandbox.backends.ray.settings import RaySettings  # noqa: PLC0415 -- only what is asked for is loaded

    ray_settings = RaySettings()
    return RaySandbox(RayCluster(settings, ray_settings), settings, ray_settings)


def make_backend(name: str, settings: SandboxSettings | None = None) -> Backend:
    """The backend of that name. Raises SandboxUnavailableError, with what to do, when it cannot work here."""
    settings = settings or SandboxSettings()
    if name == "docker":
        try:
            from sandbox.backends.docker import DockerBackend  # noqa: PLC0415 -- docker-py is an extra
        except ModuleNotFoundError as error:
            raise SandboxUnavailableError(
                f"the Docker backend needs the package {error.name}: pip install 'verihub[sandbox]'"
            ) from None
        return DockerBackend(settings)
    if name == "local":
        from sandbox.backends.local import LocalBackend  # noqa: PLC0415 -- only what is asked for is loaded

        return LocalBackend(settings)
    if name == "scripted":
        from sandbox.backends.scripted import ScriptedBackend  # noqa: PLC0415 -- only what is asked for is loaded

        return ScriptedBackend()
    raise SandboxUnavailableError(f"there is no sandbox backend {name!r}; there is: {', '.join(SANDBOXES)}")

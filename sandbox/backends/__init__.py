"""Where boxes come from: Docker, plain processes for an author's own code, or a scripted backend for tests."""

from sandbox.errors import SandboxUnavailableError
from sandbox.interface import Backend
from sandbox.settings import SandboxSettings
from schemas.extras import how_to_install

BACKENDS = ("docker", "local", "scripted")
"""The backends that open boxes on this machine."""


def make_backend(name: str, settings: SandboxSettings | None = None) -> Backend:
    """The backend of that name. Raises SandboxUnavailableError, with what to do, when it cannot work here."""
    settings = settings or SandboxSettings()
    if name == "docker":
        try:
            from sandbox.backends.docker.backend import DockerBackend  # noqa: PLC0415 -- docker-py is an extra
        except ModuleNotFoundError as error:
            raise SandboxUnavailableError(
                f"the Docker backend needs the package {error.name}: {how_to_install('sandbox')}"
            ) from None
        return DockerBackend(settings)
    if name == "local":
        from sandbox.backends.local.backend import LocalBackend  # noqa: PLC0415 -- only what is asked for is loaded

        return LocalBackend(settings)
    if name == "scripted":
        from sandbox.backends.scripted import ScriptedBackend  # noqa: PLC0415 -- only what is asked for is loaded

        return ScriptedBackend()
    raise SandboxUnavailableError(f"there is no sandbox backend {name!r}; there is: {', '.join(BACKENDS)}")

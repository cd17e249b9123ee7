"""Builds a dependency that exists only as source, in a box of this machine."""

from collections.abc import Sequence

from hub_client.execution.sandbox_errors import as_client_error
from sandbox import wiring
from sandbox.errors import SandboxError
from sandbox.images.source_wheel import BuiltWheel


def build_source(requirement: str, python: str, digests: Sequence[str] = ()) -> BuiltWheel:
    """Build the source archive of ``requirement`` in a box without network.

    Raises :class:`HubClientError` with the reason.
    """
    try:
        return wiring.build_source(requirement, python, digests)
    except SandboxError as error:
        raise as_client_error(error) from None

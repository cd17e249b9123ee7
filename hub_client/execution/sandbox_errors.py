"""Converts errors of this machine's sandbox to the client's. The class still says whose fault it was."""

from hub_client.errors import CheckFailedError, HubClientError, SandboxMissingError, SessionLostError
from sandbox.audit.errors import AuditError
from sandbox.errors import GuestFaultError, HostFaultError, SandboxError, SessionClosedError


def as_client_error(error: SandboxError) -> HubClientError:
    """``error`` as an error of the client, with the same message."""
    if isinstance(error, HostFaultError):
        return SandboxMissingError(str(error))
    if isinstance(error, SessionClosedError):
        return SessionLostError(str(error))
    return (CheckFailedError if isinstance(error, GuestFaultError | AuditError) else HubClientError)(str(error))

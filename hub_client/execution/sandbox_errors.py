"""What an error of this machine's sandbox is for the client: the class still says whose fault it was."""

from hub_client.errors import CheckFailedError, HubClientError, SandboxMissingError, SessionLostError
from sandbox.audit.errors import AuditError
from sandbox.errors import GuestFaultError, HostFaultError, SandboxError, SessionClosedError


def as_client_error(error: SandboxError) -> HubClientError:
    """``error`` as one of the client's, with the same words."""
    if isinstance(error, HostFaultError):
        return SandboxMissingError(str(error))
    if isinstance(error, SessionClosedError):
        return SessionLostError(str(error))
    return (CheckFailedError if isinstance(error, GuestFaultError | AuditError) else HubClientError)(str(error))

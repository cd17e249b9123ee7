"""Why an audit cannot be made or believed: errors below :mod:`sandbox.errors`.

::

    SandboxError
      AuditError
        CaseError         a case that names what the release does not have
        SignatureError    a report whose signature does not fit it
        SelectionError    the manifest selects a probe family that does not exist
"""

from sandbox.errors import SandboxError


class AuditError(SandboxError):
    """The audit cannot be made; the message says what to change."""


class CaseError(AuditError):
    """An audit case contradicts itself or the release's declaration."""


class SignatureError(AuditError):
    """The report was changed after it was signed, or another key signed it."""


class SelectionError(AuditError):
    """The manifest's ``[probes]`` names a family that does not exist."""

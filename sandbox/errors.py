"""Whose fault it was: the sandbox's errors.

::

    SandboxError
      HostFaultError              ours; retried on another box; says nothing about the guest -> error.kind ``host``
        SandboxUnavailableError   no engine, no base image, or an engine that refuses
        ImageMissingError         the image of a release is gone and could not be made again
        BoxLostError              a box died or stopped answering while it worked
        StarvedError              the machine had no processor time for a box
        NodeLostError             a machine of the cluster did, with all its boxes
        PoolBusyError             the bounded queue is full: slow down
      GuestFaultError             the package's or the model's code; never retried, rewards are null
        VerifierFailedError       raised, or broke its declared vector      -> ``verifier_failed``
        TimeLimitError            -> ``timeout``
        MemoryLimitError          -> ``memory``
        OutputLimitError          -> ``output``
        ModelUnansweredError      the model that the package asks was refused or silent -> ``model``
      SessionClosedError          the session has ended; open another
"""

from typing import ClassVar

from schemas.verdict import ErrorKind


class SandboxError(Exception):
    """Root of everything the sandbox raises on purpose."""


class HostFaultError(SandboxError):
    """Our fault: the engine, the machine, the transport. Retried elsewhere, then reported as ``host``."""

    kind: ClassVar[ErrorKind] = ErrorKind.HOST


class SandboxUnavailableError(HostFaultError):
    """No box can be had on this machine; the message says what to do."""


class ImageMissingError(HostFaultError):
    """The image of a release is not there."""


class BoxLostError(HostFaultError):
    """A box died, or did not answer in time, while it worked for us."""


class StarvedError(HostFaultError):
    """The machine was so busy that a box did not get the time it was promised."""


class NodeLostError(HostFaultError):
    """A machine of the cluster is gone, or does not answer, and its boxes with it."""


class PoolBusyError(HostFaultError):
    """More work is waiting than the pool may hold."""


class GuestFaultError(SandboxError):
    """The code in the box is at fault. The same call would fail again, so it is not retried."""

    kind: ClassVar[ErrorKind] = ErrorKind.VERIFIER_FAILED


class VerifierFailedError(GuestFaultError):
    """The author's code raised, died, or broke what it declared."""


class TimeLimitError(GuestFaultError):
    """The call took longer than the package allows itself."""

    kind = ErrorKind.TIMEOUT


class MemoryLimitError(GuestFaultError):
    """The call needed more memory than the package asked for."""

    kind = ErrorKind.MEMORY


class OutputLimitError(GuestFaultError):
    """The call answered with, or wrote, more than is allowed."""

    kind = ErrorKind.OUTPUT


class ModelUnansweredError(GuestFaultError):
    """The model that a verifier asks is not offered, did not answer usably, or its budget is spent.

    Asking again in another box would not help, so it is not retried.
    """

    kind = ErrorKind.MODEL


class SessionClosedError(SandboxError):
    """The session has ended (closed, timed out, or its process died)."""


_BY_KIND: dict[ErrorKind, type[HostFaultError | GuestFaultError]] = {
    ErrorKind.VERIFIER_FAILED: VerifierFailedError,
    ErrorKind.TIMEOUT: TimeLimitError,
    ErrorKind.MEMORY: MemoryLimitError,
    ErrorKind.OUTPUT: OutputLimitError,
    ErrorKind.MODEL: ModelUnansweredError,
    ErrorKind.HOST: BoxLostError,
}


def error_of(kind: ErrorKind, message: str) -> HostFaultError | GuestFaultError:
    """The exception that stands for ``error.kind`` where a call returns a value instead of a verdict."""
    return _BY_KIND[kind](message)


def host_failure(error: BaseException) -> HostFaultError:
    """An exception of our own code as an error for callers. It is a fault of the host, like a lost box."""
    return HostFaultError(f"the sandbox itself failed ({type(error).__name__}: {error}); its log says more")

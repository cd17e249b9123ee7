"""Why an image cannot be made: errors below those of :mod:`sandbox.errors`.

::

    HostFaultError
      SandboxUnavailableError
        BaseImageError            no registry answers and the base cannot be built here
      ImageMissingError
        ImageEngineError          the engine refused to load, run or export an image
        WheelMissingError         a locked wheel is neither cached nor to be had
    GuestFaultError
      VerifierFailedError
        WheelRefusedError         a wheel that is not safe, or not what its lock or RECORD says
        LockRefusedError          a lock that names something other than binary wheels with hashes
"""

from sandbox.errors import ImageMissingError, SandboxUnavailableError, VerifierFailedError


class BaseImageError(SandboxUnavailableError):
    """The base image can be had neither from a registry nor from Debian's packages; says what to do."""


class ImageEngineError(ImageMissingError):
    """The engine would not do what making an image needs; carries its words."""


class WheelMissingError(ImageMissingError):
    """A locked wheel is not in the cache and could not be fetched."""


class WheelRefusedError(VerifierFailedError):
    """The wheel is unsafe to unpack, or its bytes are not those that were locked."""


class LockRefusedError(VerifierFailedError):
    """The lock cannot be installed without running somebody's code."""

"""Why a mirror stops. Readers do not see these errors: they are in the log and at ``/readyz``, for the operator."""


class OriginAwayError(Exception):
    """The other hub did not answer, or its answer cannot be read. The mirror asks again soon."""


class NotThereError(Exception):
    """The other hub says that it does not have this, or does not show it."""


class PackageProblemError(Exception):
    """Something of one package cannot be mirrored now. The others go on, and this one is tried again later."""


class UntrueError(Exception):
    """What the other hub says contradicts what it has signed, or what is known of it. The mirror stops."""

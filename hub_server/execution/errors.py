"""Why something is not executed."""

from hub_server.errors import InvalidRequestError


class NothingToExecuteError(InvalidRequestError):
    """The package has no verifier (or session, or generator) that could be executed."""

    title = "Nothing to execute"

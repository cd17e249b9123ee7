"""Why something about a run is refused."""

from hub_server.errors import ConflictError, NotFoundError
from schemas.problem import ProblemCode


class RunNotFoundError(NotFoundError):
    """No such run."""

    code = ProblemCode.RUN_NOT_FOUND
    title = "No such run"


class RunTooLargeError(ConflictError):
    """A run, or all runs of the account, would take more bytes than this hub gives them."""

    code = ProblemCode.RUN_LIMIT
    title = "The runs take too much room"

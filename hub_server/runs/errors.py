"""Why something about a run is refused."""

from hub_server.errors import NotFoundError
from schemas.problem import ProblemCode


class RunNotFoundError(NotFoundError):
    """No such run."""

    code = ProblemCode.RUN_NOT_FOUND
    title = "No such run"

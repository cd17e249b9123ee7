"""Why something about moderation is refused."""

from hub_server.errors import NotFoundError
from schemas.problem import ProblemCode


class ReportNotFoundError(NotFoundError):
    """No such report, or not this account's to see."""

    code = ProblemCode.REPORT_NOT_FOUND
    title = "No such report"

"""Why something about moderation is refused."""

from hub_server.errors import NotFoundError, TooManyRequestsError
from schemas.problem import ProblemCode


class ReportNotFoundError(NotFoundError):
    """There is no such report, or this account may not see it."""

    code = ProblemCode.REPORT_NOT_FOUND
    title = "No such report"


class TooManyReportsError(TooManyRequestsError):
    """The account has as many reports open as one may have."""

    title = "Too many open reports"

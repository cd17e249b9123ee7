"""Why an audit or a case is refused."""

from hub_server.errors import ConflictError, InvalidRequestError, NotFoundError, TooManyRequestsError
from schemas.problem import ProblemCode


class AuditNotFoundError(NotFoundError):
    """There is no such audit, or it is not finished."""

    code = ProblemCode.AUDIT_NOT_FOUND
    title = "No such audit"


class CaseNotFoundError(NotFoundError):
    """No such counter-example of this package."""

    code = ProblemCode.CASE_NOT_FOUND
    title = "No such counter-example"


class QuestionNotFoundError(NotFoundError):
    """No such question of the labelling queue."""

    code = ProblemCode.QUESTION_NOT_FOUND
    title = "No such question"


class ComparisonNotFoundError(NotFoundError):
    """There is no such comparison of two verifiers, or none has been made yet."""

    code = ProblemCode.COMPARISON_NOT_FOUND
    title = "No such comparison"


class InvalidCaseError(InvalidRequestError):
    """The case cannot be replayed against this package."""

    code = ProblemCode.INVALID_CASE
    title = "Not a valid case"


class CaseExistsError(ConflictError):
    """Somebody has submitted this response to this task already."""

    code = ProblemCode.CASE_EXISTS
    title = "The case exists"


class TooManyCasesError(ConflictError):
    """The account has reached the limit of cases that one account may submit to one release."""

    code = ProblemCode.CASE_LIMIT
    title = "Too many counter-examples"


class TooManyLabelsError(ConflictError):
    """A question, an account or a package has reached the limit of answers or of open questions."""

    code = ProblemCode.LABEL_LIMIT
    title = "Too many labels or questions"


class TooManyTodayError(TooManyRequestsError):
    """The account has reached today's quota of answers, or of seconds and disputes."""

    title = "Too many today"


class CaseNotDisputableError(ConflictError):
    """Only a reproduced, fixed or agreed case can be disputed or seconded, and only a disputed one settled."""

    code = ProblemCode.CASE_STATE
    title = "The case is in another state"


class CaseNotSecondableError(CaseNotDisputableError):
    """Nobody may second their own case, or a case that was not reproduced."""

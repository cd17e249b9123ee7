"""Why an audit or a case is refused."""

from hub_server.errors import ConflictError, InvalidRequestError, NotFoundError
from schemas.problem import ProblemCode


class AuditNotFoundError(NotFoundError):
    """No such audit, or none that is done."""

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
    """No such comparison of two verifiers, or none was made yet."""

    code = ProblemCode.COMPARISON_NOT_FOUND
    title = "No such comparison"


class InvalidCaseError(InvalidRequestError):
    """The case cannot be replayed against this package."""

    code = ProblemCode.INVALID_CASE
    title = "Not a sound case"


class CaseExistsError(ConflictError):
    """Somebody has submitted this response to this task already."""

    code = ProblemCode.CASE_EXISTS
    title = "The case exists"


class TooManyCasesError(ConflictError):
    """The account has submitted as many cases to this release as one account may."""

    code = ProblemCode.CASE_LIMIT
    title = "Too many counter-examples"


class CaseNotDisputableError(ConflictError):
    """Only a reproduced, fixed or agreed case can be disputed or seconded, and only a disputed one settled."""

    code = ProblemCode.CASE_STATE
    title = "The case does not stand like that"


class CaseNotSecondableError(CaseNotDisputableError):
    """Nobody may second a case of their own, nor one that was not reproduced."""

"""Why something about benchmarks is refused."""

from hub_server.errors import ConflictError, InvalidRequestError, NotFoundError
from schemas.problem import ProblemCode


class BenchmarkNotFoundError(NotFoundError):
    """No such benchmark, or no results on it yet."""

    code = ProblemCode.BENCHMARK_NOT_FOUND
    title = "No such benchmark"


class InvalidResultsError(InvalidRequestError):
    """The results are not of this benchmark."""

    title = "Not results of this benchmark"


class TooManyResultsError(ConflictError):
    """The account has sent as many results to this benchmark as one account may."""

    code = ProblemCode.RESULTS_LIMIT
    title = "Too many results"

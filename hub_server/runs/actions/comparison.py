"""Several runs side by side."""

from collections.abc import Sequence

from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs.actions.runs import get_run
from hub_server.runs.rules.comparison import MOST_RUNS, compared_rows
from schemas.run_comparison import ComparedRuns


def compare_runs(work: UnitOfWork, run_ids: Sequence[str]) -> ComparedRuns:
    """Two to ``MOST_RUNS`` runs that the caller sees. Raises ``InvalidRequestError``, ``RunNotFoundError``."""
    ids = list(dict.fromkeys(run_ids))
    if not 2 <= len(ids) <= MOST_RUNS:
        raise InvalidRequestError(f"Two to {MOST_RUNS} different runs are compared, not {len(ids)}: `?run=ID&run=ID`.")
    runs = [get_run(work, one) for one in ids]
    return ComparedRuns(runs=runs, rows=compared_rows(runs))

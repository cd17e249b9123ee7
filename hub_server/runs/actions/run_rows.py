"""The rows of runs for the other modules: found, owned by the caller, and shown."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from hub_server.accounts.queries import accounts as account_queries
from hub_server.catalog.queries import packages as package_queries
from hub_server.database.visibility import Viewer, see_as
from hub_server.kernel.caller import require_caller, require_owner
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import queries
from hub_server.runs.errors import RunNotFoundError
from hub_server.runs.models import RunRow
from schemas.account import Scope
from schemas.run import Run

GATHER_DELAY_SECONDS = 2
"""How long a job that a finished run causes waits for other runs that finish."""


def get_row(work: UnitOfWork, run_id: str) -> RunRow:
    """The row of a run that the viewer sees. Raises ``RunNotFoundError``."""
    row = queries.find_run(work.session, run_id)
    if row is None or (not work.sees_hidden and account_queries.is_hidden(work.session, row.owner)):
        raise RunNotFoundError(
            f"There is no run {run_id!r} on this hub, or it is private: /runs lists those that you may see."
        )
    return row


def own_run(work: UnitOfWork, run_id: str) -> RunRow:
    """The row of a run of the caller's, locked until the transaction ends. Raises ``RunNotFoundError``.

    The account is locked before: reports about two of its runs at once are counted one after the other (``room``).
    """
    caller = require_caller(work.caller, Scope.RUNS)
    account_queries.lock_account(work.session, caller.account_id)
    see_as(work.session, Viewer(caller.owners))
    row = queries.lock_run(work.session, run_id)
    if row is None:
        raise RunNotFoundError(
            f"There is no run {run_id!r} on this hub, or it is private: /runs lists those that you may see."
        )
    require_owner(work.caller, row.owner, Scope.RUNS)
    return row


def touch(work: UnitOfWork, row: RunRow, steps: Iterable[int]) -> None:
    """Note that something came: now, and up to the highest of ``steps``."""
    row.last_step = max(steps, default=row.last_step) if row.last_step is None else max([*steps, row.last_step])
    row.updated_at = work.now


def uses_private(work: UnitOfWork, packages: Sequence[str]) -> bool:
    """Whether one of the packages is private. A run with it is, too: it names the package, and quotes its tasks."""
    return any(row.is_private for row in package_queries.packages_by_ids(work.session, sorted(set(packages))).values())


def known_packages(work: UnitOfWork, names: Iterable[str]) -> list[str]:
    """Those of the packages that exist and that the viewer sees, in order. A run may name what it likes."""
    return sorted(package_queries.packages_by_ids(work.session, sorted(set(names))))


def run_of(row: RunRow, *, without: Mapping[str, object] = MappingProxyType({})) -> Run:
    """A row as the API shows it. ``without``: fields that are not read, and what stands for them."""
    return Run.read({name: without[name] if name in without else getattr(row, name) for name in Run.model_fields})

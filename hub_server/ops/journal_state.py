"""Whether the journal names every release: only then do clients accept what this hub serves."""

from hub_server.database.read_only import read_only_reason
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.publishing import actions as publishing
from schemas.wording import counted


class JournalState:
    """What ``/readyz`` says of the journal. One for each process.

    Releases and entries are counted until both are as many, and never again: from then on a publish enters its own.
    """

    def __init__(self) -> None:
        self._is_complete = False

    def describe(self, services: Services) -> tuple[bool, str]:
        """(whether the hub is ready for clients, the words). A read-only hub enters nothing, and is no less ready."""
        if self._is_complete or services.settings.mirror.of:
            return True, "ok"
        with services.database.reading() as session:
            missing = publishing.count_missing_entries(UnitOfWork(session, services))
            is_read_only = read_only_reason(session) is not None
        self._is_complete = not missing
        if not missing:
            return True, "ok"
        if is_read_only:
            return True, f"{counted(missing, 'release')} will be entered once the hub is no longer read-only"
        verb = "is" if missing == 1 else "are"
        return False, f"{counted(missing, 'release')} {verb} still to be entered, which clients refuse until then"

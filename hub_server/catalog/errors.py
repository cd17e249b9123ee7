"""Why something of the catalogue is refused."""

from collections.abc import Callable

from hub_server.errors import GoneError, NotFoundError
from schemas.problem import ProblemCode


class PackageNotFoundError(NotFoundError):
    """No package of that id."""

    code = ProblemCode.PACKAGE_NOT_FOUND
    title = "No such package"

    def __init__(self, detail: str, *, near: Callable[[], list[str]] | None = None) -> None:
        super().__init__(detail)
        self.near = near


class PackageMovedError(PackageNotFoundError):
    """No package has that id. A package of that name was handed over to or by its account, and has kept its own id."""

    code = ProblemCode.PACKAGE_MOVED
    title = "The package has another name"

    def __init__(self, asked: str, meant: str) -> None:
        super().__init__(f"There is no package {asked}: ask for {meant}. It was handed over and has kept its id.")
        self.moved = (asked, meant)


class ReleaseNotFoundError(NotFoundError):
    """The package has no release that the reference admits."""

    code = ProblemCode.RELEASE_NOT_FOUND
    title = "No such release"


class FileMissingError(NotFoundError):
    """The release holds no file of that path."""

    code = ProblemCode.FILE_NOT_FOUND
    title = "No such file"


class TaskNotFoundError(NotFoundError):
    """The release holds no such task, or split."""

    code = ProblemCode.TASK_NOT_FOUND
    title = "No such task"


class WithheldError(GoneError):
    """Taken down for good, or hidden while its owner is suspended: not shown, downloaded or executed."""

    code = ProblemCode.WITHHELD
    title = "Withheld"


class QuarantinedError(GoneError):
    """The release is visible and may be neither downloaded nor executed."""

    code = ProblemCode.QUARANTINED
    title = "Quarantined"

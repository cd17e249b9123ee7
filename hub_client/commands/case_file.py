"""A file of audit cases that a command is given."""

from pathlib import Path

from hub_client.errors import CheckFailedError, UsageError
from schemas.evidence.cases import AuditCase
from schemas.rows import RowsError
from schemas.wheels.package_data import case_rows
from schemas.wheels.wheel_error import WheelError


def read_cases(file: Path) -> list[AuditCase]:
    """The cases, one a line. Raises :class:`UsageError`, or :class:`CheckFailedError` for a line that is no case."""
    try:
        return list(case_rows(file.read_bytes(), str(file)))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except (WheelError, RowsError) as error:
        raise CheckFailedError(str(error)) from None

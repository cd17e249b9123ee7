"""Parses and checks every message from a box. The host uses none of them unchecked.

A package's code may run before the zygote has confined itself, so a message may hold any bytes. A malformed message
raises an error that says so, never an exception of another kind.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from sandbox.errors import GuestFaultError, HostFaultError, VerifierFailedError, error_of
from sandbox.guest import frames
from schemas.strict_json import may_hold_unfit_number, parse_json
from schemas.verdict import ErrorKind

_MAX_REPORT_BYTES = 1 << 20  # as the largest reply of a call
_MAX_MESSAGE = 4000  # as what the guest keeps of a traceback


class ReadyReport(BaseModel):
    """The READY message. Times are in seconds. Other keys are kept as facts for the operator."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False, frozen=True)

    python: str = Field(default="", max_length=100)
    import_seconds: float = Field(default=0.0, ge=0)
    warm_seconds: float = Field(default=0.0, ge=0)
    warmed_calls: int = Field(default=0, ge=0, le=1_000_000)
    landlock: int = Field(default=0, ge=0, le=1000)


class _LoadFailure(BaseModel):
    """The FAILED message."""

    model_config = ConfigDict(extra="ignore")

    kind: ErrorKind
    message: str


def json_of(data: bytes, limit: int) -> Any:
    """Parse JSON of at most ``limit`` bytes and about 200 levels. Raises ValueError for anything else, also for NaN and
    1e999.
    """
    if len(data) > limit:
        raise ValueError(f"{len(data)} bytes; {limit} are allowed")
    if may_hold_unfit_number(data):
        parse_json(data)
    return from_json(data, allow_inf_nan=False)


def read_ready(payload: bytes) -> ReadyReport:
    """The READY message. Raises VerifierFailedError."""
    try:
        return ReadyReport.model_validate(json_of(payload, _MAX_REPORT_BYTES))
    except ValueError as error:  # pydantic's ValidationError is one
        raise VerifierFailedError(
            f"the package could not be loaded: its box said something else than that it is ready ({_first_line(error)})"
        ) from None


def load_failure(payload: bytes) -> HostFaultError | GuestFaultError:
    """The FAILED message as the error to raise. A box cannot blame the host."""
    try:
        failure = _LoadFailure.model_validate(json_of(payload, _MAX_REPORT_BYTES))
    except ValueError:
        return VerifierFailedError("the package could not be loaded")
    kind = ErrorKind.VERIFIER_FAILED if failure.kind is ErrorKind.HOST else failure.kind
    return error_of(kind, f"the package could not be loaded: {failure.message[:_MAX_MESSAGE]}")


def split_part(payload: bytes) -> tuple[bool, bytes]:
    """``(is it the last part?, its bytes)`` of a message that comes in parts. Raises ProtocolError."""
    if not payload or payload[0] > 1:
        raise frames.ProtocolError("a part of a message without its mark")
    return payload[0] == 1, payload[1:]


def _first_line(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or 'the message'}: {first['msg']}"[:200]
    return str(error)[:200]

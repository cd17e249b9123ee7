"""Messages between a driver and a node over a pair of streams: JSON with attached bytes, parsed and checked.

One message is a header of fixed size (length of the JSON, number of attachments), the length of each attachment, the
JSON ``[number, name, values]``, then the attachments. Nothing is unpickled, so a compromised node can send wrong
verdicts, but no code.
"""

import asyncio
import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from sandbox import errors
from sandbox.cluster.link import NodeFacts, NodeReport
from sandbox.cluster.wheel_transfer import ReleaseHeader
from sandbox.errors import BoxLostError, NodeLostError, SandboxError
from sandbox.interface import BoxInfo
from schemas.strict_json import parse_json

_HEADER = struct.Struct(">II")
_LENGTH = struct.Struct(">I")
_MAX_JSON_BYTES = 256 * 1024 * 1024  # chosen: bounds what a node can make its driver allocate
_MAX_ATTACHMENTS = 65_536  # chosen, not measured
_MAX_ATTACHMENT_BYTES = 1024 * 1024 * 1024  # chosen: twice the largest wheel


class WireError(NodeLostError):
    """The other side sent something that is not a message. The connection cannot be used any more."""


@dataclass(frozen=True)
class WireMessage:
    """One message. ``number`` says which request it belongs to, ``name`` what it is."""

    number: int
    name: str
    values: list[Any] = field(default_factory=list)
    attachments: list[bytes] = field(default_factory=list)


def packed(number: int, name: str, values: Sequence[Any] = (), attachments: Sequence[bytes] = ()) -> bytes:
    """A message as bytes. Raises TypeError or ValueError for values that JSON cannot say (NaN among them)."""
    text = json.dumps([number, name, list(values)], allow_nan=False).encode()
    lengths = b"".join(_LENGTH.pack(len(blob)) for blob in attachments)
    return b"".join([_HEADER.pack(len(text), len(attachments)), lengths, text, *attachments])


async def read_message(reader: asyncio.StreamReader) -> WireMessage:
    """The next message. Raises WireError for anything else, IncompleteReadError where the line ends."""
    length, count = _HEADER.unpack(await reader.readexactly(_HEADER.size))
    if length > _MAX_JSON_BYTES or count > _MAX_ATTACHMENTS:
        raise WireError(f"a message of {length} bytes with {count} attachments is larger than any of ours")
    lengths = [_LENGTH.unpack(await reader.readexactly(_LENGTH.size))[0] for _ in range(count)]
    if sum(lengths) > _MAX_ATTACHMENT_BYTES:
        raise WireError(f"attachments of {sum(lengths)} bytes are larger than any of ours")
    number, name, values = _parsed(await reader.readexactly(length))
    return WireMessage(number, name, values, [await reader.readexactly(size) for size in lengths])


def _parsed(text: bytes) -> tuple[int, str, list[Any]]:
    try:
        whole = parse_json(text)
    except ValueError as error:
        raise WireError(f"a message is not JSON: {error}") from None
    match whole:
        case [int(number), str(name), list(values)] if not isinstance(number, bool):
            return number, name, values
    raise WireError("a message is not [number, name, values]")


# -- values that are more than JSON ------------------------------------------------------------------------------------

_RESULTS: dict[str, TypeAdapter[Any]] = {
    "hello": TypeAdapter(NodeFacts),
    "report": TypeAdapter(NodeReport),
    "missing": TypeAdapter(list[str]),
    "warm": TypeAdapter(BoxInfo),
    "generate": TypeAdapter(list[Any]),
    "tools": TypeAdapter(list[dict[str, Any]]),
    "image_digest": TypeAdapter(str),
    "hold": TypeAdapter(None),
    "session_open": TypeAdapter(None),
    "session_branch": TypeAdapter(None),
    "session_close": TypeAdapter(None),
    "close": TypeAdapter(None),
}
"""What each method of a node answers; any JSON where none is named (a session's or a tool's own value)."""


def result_as_data(value: Any) -> Any:
    """A method's result as JSON values. Raises ValueError for what JSON cannot say."""
    return to_jsonable_python(value)


def result_of(method: str, data: Any) -> Any:
    """The result again, checked. Raises WireError for one of another shape."""
    adapter = _RESULTS.get(method)
    if adapter is None:
        return data
    try:
        return adapter.validate_python(data)
    except ValidationError as error:
        raise WireError(f"the answer to {method!r} is not what it must be: {error.error_count()} faults") from None


def header_as_data(header: ReleaseHeader) -> dict[str, Any]:
    """A release's header as JSON values."""
    return {**asdict(header), "manifest": header.manifest.model_dump(mode="json", by_alias=True)}


def header_of(data: Any) -> ReleaseHeader:
    """The header again, checked. Raises WireError."""
    try:
        return _HEADERS.validate_python(data)
    except ValidationError as error:
        raise WireError(f"a release's header is not one: {error.error_count()} faults") from None


_HEADERS = TypeAdapter(ReleaseHeader)
_RAISED: dict[str, type[Exception]] = {
    **{name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, SandboxError)},
    **{kind.__name__: kind for kind in (KeyError, ValueError, TypeError)},
}


def error_as_data(error: Exception) -> list[str]:
    """``[class, message]``."""
    words = error.args[0] if isinstance(error, KeyError) and error.args else error
    return [type(error).__name__, str(words)]


def error_of(data: Any) -> Exception:
    """The exception again: one of the sandbox's own, or a plain one; anything else is the node's failure."""
    match data:
        case [str(name), str(message)]:
            kind = _RAISED.get(name)
            return kind(message) if kind is not None else BoxLostError(f"a sandbox node failed: {name}: {message}")
    return WireError("an error is not [class, message]")

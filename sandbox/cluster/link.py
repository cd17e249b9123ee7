"""The interfaces of a cluster and of one node, however it is reached, and the form in which verdicts travel."""

import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import ConfigDict, TypeAdapter, ValidationError

from sandbox.errors import NodeLostError
from sandbox.guest.plain_json import parse
from sandbox.interface import Source
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict, VerdictError

Row = tuple[int, dict[str, float | None], dict[str, Any], tuple[ErrorKind, str] | None, float]
"""One verdict on its way: the call's number among those sent, rewards, info, (kind, message) of an error, ms."""


@dataclass(frozen=True)
class NodeFacts:
    """What a node says of itself when it joins."""

    version: str
    """Of Verihub; nodes and driver must run the same."""
    pid: int
    boxes_per_package: int = 1
    """How many boxes of one release run side by side on that node.

    Nodes of 0.2 call it ``lanes``: with a default their greeting can be read, and the driver says that versions differ.
    """


@dataclass(frozen=True)
class NodeReport:
    """A node's state: its metrics as Prometheus text, and by release's digest what replaying found.

    ``replays``: (compared, differed, still pending).
    """

    metrics: str = ""
    replays: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)


class NodeLink(Protocol):
    """The connection to one node's sandbox.

    Methods raise :class:`~sandbox.errors.NodeLostError` when the node is gone.
    """

    async def ask(self, method: str, *arguments: Any) -> Any:
        """Call one of the node's methods by name; what it raises is raised here."""

    async def send(self, source: Source) -> None:
        """Bring the release and its locked wheels to the node, as far as it does not have them."""

    def judge(self, key: str, isolation: Isolation, calls: Sequence[bytes]) -> AsyncGenerator[list[Row]]:
        """Judge one call group of encoded calls, numbered from 0; verdicts in completion order.

        Closing the generator cancels what is left.
        """

    async def end(self) -> None:
        """Ask the node to end its boxes, then :meth:`kill`. Never raises."""

    async def kill(self) -> None:
        """End the node's sandbox now; its boxes end by end of file. Never raises."""


class Cluster(Protocol):
    """Finds nodes and opens a sandbox on one. Raises host faults that say what to do."""

    none_found: str
    """What to tell a person when no node is found, with what to do."""

    async def found(self) -> Mapping[str, str]:
        """Ids of the nodes that live now and offer sandboxes, with a name for people."""

    async def open(self, node_id: str) -> NodeLink:
        """Start a sandbox on that node; its first answer tells whether it works."""

    async def aclose(self) -> None: ...


_ROWS = TypeAdapter(list[Row], config=ConfigDict(allow_inf_nan=False))
_ODD_NUMBER = re.compile(rb"NaN|Infinity|[eE]\+?[0-9]{3}")
_LEVELS_AROUND = 4  # lists of ours that a verdict's info lies in


def pack_rows(rows: list[Row]) -> bytes:
    """All rows as one value, because Ray would pickle each tuple separately."""
    return json.dumps(rows).encode()


def unpack_rows(packed: bytes) -> list[Row]:
    """The inverse of :func:`pack_rows`.

    Raises NodeLostError for anything malformed, and for what could not be written as JSON again: a node is trusted with
    verdicts, not with their form.
    """
    try:  # the usual case in one step, without coercion
        rows = _ROWS.validate_json(packed, strict=True)
        if not any(row[2] for row in rows) or not _ODD_NUMBER.search(packed):  # info is the only part without a type
            return rows
    except ValidationError:
        pass  # it may only be deep: pydantic's reader counts our own levels too
    try:
        return _ROWS.validate_python(parse(packed, around=_LEVELS_AROUND))
    except ValueError:
        raise NodeLostError("a sandbox node gave an answer that is not a list of verdicts") from None


def row_of(number: int, verdict: Verdict, milliseconds: float) -> Row:
    """A verdict as plain values, which costs a fraction of pickling a model."""
    error = (verdict.error.kind, verdict.error.message) if verdict.error is not None else None
    return number, verdict.rewards, verdict.info, error, milliseconds


def verdict_of_row(row: Row) -> Verdict:
    """The verdict again, validated."""
    _, rewards, info, error, _ = row
    told = VerdictError(kind=error[0], message=error[1]) if error is not None else None
    return Verdict(rewards=rewards, info=info, error=told)

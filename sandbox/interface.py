"""The contract: what a box is made from, what it is asked, and what a backend must be able to do."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from schemas.manifest import Manifest
from schemas.task import canonical_json
from schemas.verdict import ScoreRequest
from schemas.wheels.box_python import DEFAULT_PYTHON


@dataclass(frozen=True)
class LockedWheel:
    """One locked dependency: its wheel on local disk, checked against ``sha256`` (hexadecimal) before use."""

    name: str
    version: str
    sha256: str
    path: Path


@dataclass(frozen=True)
class Source:
    """What a box is made from: one release's wheel and its locked dependencies.

    ``digest`` is ``sha256:…`` of the wheel's bytes; for a project folder, of the packed wheel.
    """

    digest: str
    wheel: Path
    manifest: Manifest
    lock: tuple[LockedWheel, ...] = ()
    python: str = DEFAULT_PYTHON
    """Of the release's boxes and of the programs that it runs: what ``requires-python`` chose."""
    hash_seed: int = 0
    """``PYTHONHASHSEED`` of its boxes, which decides the order of sets of strings. Audits judge with another one too:
    a verdict that depends on that order then changes.
    """
    is_elsewhere: bool = False
    """Whether its boxes say another date and another machine (``sandbox/guest/elsewhere.py``), as an audit's first."""

    @property
    def boxes_key(self) -> str:
        """The same for sources that the same boxes serve: the digest, and what of seed and place is not the usual."""
        seed = f"/{self.hash_seed}" if self.hash_seed else ""
        return f"{self.digest}{seed}{'/elsewhere' if self.is_elsewhere else ''}"


@dataclass(frozen=True)
class Call:
    """One thing to judge: a task and what the model did. ``id`` comes back with the verdict.

    The fields of :class:`~schemas.verdict.ScoreRequest`, which may be given in its place, without its validation.
    """

    id: str
    task: dict[str, Any]
    response: str | None = None
    messages: list[dict[str, Any]] | None = None
    state: dict[str, Any] | None = None
    files: dict[str, str] | None = None


@dataclass(frozen=True)
class EncodedCall:
    """A call as :func:`sandbox.host.verdict_codec.encode_call` made it, perhaps on another machine."""

    id: str
    payload: bytes


AnyCall = Call | ScoreRequest | EncodedCall
"""What a sandbox judges. A request goes to the box as it came from the user."""


class BoxRole(StrEnum):
    """Trust domains; two of them never share a container.

    ``verifier``: a stranger's package, sees the reference answer. ``solution``: code that a model wrote, sees
    inputs only. ``environment``: stateful episodes and their tools.
    """

    VERIFIER = "verifier"
    SOLUTION = "solution"
    ENVIRONMENT = "environment"


@dataclass(frozen=True)
class BoxResources:
    """What one box may use. Its digest is among every box's labels."""

    role: BoxRole
    memory_mb: int
    """What one call, or one session, may use."""
    memory_shares: int = 1
    """How many of them the box has memory for at a time."""
    process_count: int = 48
    cpu_count: float = 1.0
    folder_mb: int = 16
    folder_file_count: int = 1024
    file_mb: int = 8
    open_file_count: int = 64
    lifetime_seconds: float = 3600.0

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits of the SHA-256 of all fields."""
        return hashlib.sha256(canonical_json(asdict(self))).hexdigest()[:12]


@dataclass(frozen=True)
class BoxSpec:
    """One box to open. ``source`` is None for a solution box: it holds no package and no answer."""

    role: BoxRole
    resources: BoxResources
    source: Source | None = None
    solution_python: str = DEFAULT_PYTHON
    """Of a solution box."""

    @property
    def python(self) -> str:
        """The Python that the box must have, such as ``3.11``."""
        return self.source.python if self.source else self.solution_python

    @property
    def environment(self) -> tuple[str, ...]:
        """``NAME=value`` of what the box's processes find in their environment, beside what the image gives them.

        Without a fixed seed, code that goes through a set of strings would give one verdict today and another tomorrow.
        """
        return (f"PYTHONHASHSEED={self.source.hash_seed if self.source else 0}",)


@dataclass(frozen=True)
class BoxInfo:
    """What a box said of itself when it was ready. Times in seconds."""

    image_digest: str
    python: str = ""
    import_seconds: float = 0.0
    warm_seconds: float = 0.0
    warmed_calls: int = 0
    start_seconds: float = 0.0
    landlock: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BoxLayout:
    """Where things lie inside a box, as the guest needs to know it."""

    import_paths: tuple[str, ...]
    work_folder: str
    image_digest: str
    socket: str = ""
    """A socket by which the guest reaches the host more directly than through its standard streams, if there is one."""
    has_landlock: bool = False
    """Whether the guest is to fence itself in with Landlock: only where the box has a root file system of its own."""


@dataclass(frozen=True)
class BoxUsage:
    """What the kernel has counted for one box since it began."""

    cpu_seconds: float
    memory_bytes: int
    peak_memory_bytes: int
    oom_kills: int


@runtime_checkable
class Measured(Protocol):
    """A connection whose backend can tell what its box uses."""

    def usage(self) -> BoxUsage | None:
        """What the box has used; None if that cannot be read here. It costs a few reads of small files and never asks
        an engine.
        """


@runtime_checkable
class Scheduled(Protocol):
    """A connection whose backend can tell how long its box was kept waiting for a processor."""

    def seconds_waited(self) -> float:
        """Seconds, since the box began, in which it could have run and did not get a processor.

        0 if that cannot be read here. It costs a few reads of small files and never asks an engine.
        """


@runtime_checkable
class Explained(Protocol):
    """A connection whose backend can tell that its box was killed from outside."""

    async def was_killed(self) -> bool:
        """Whether a SIGKILL that was not ours ended the box: a person's, or the kernel's as the machine had no memory.

        False where that cannot be told. Asked once the line is closed.
        """


class Connection(Protocol):
    """A live line to one guest's zygote. Bytes out by ``send``; bytes in through the receiver given to ``open``."""

    @property
    def layout(self) -> BoxLayout: ...

    def send(self, data: bytes) -> None:
        """Queue bytes for the guest. Never blocks; once the connection is gone they are dropped."""

    async def kill(self) -> None:
        """End the box now, whatever it does. Idempotent, never raises."""

    def stderr_tail(self) -> str:
        """The end of what the guest wrote to stderr, for a message to a person."""


class Receiver(Protocol):
    """Takes what comes over one connection."""

    def received(self, data: bytes) -> None:
        """More bytes of the guest's frame stream."""

    def closed(self, reason: str) -> None:
        """The connection is gone; called once."""


@runtime_checkable
class Backend(Protocol):
    """Opens boxes. Raises :class:`~sandbox.errors.SandboxUnavailableError` and other host faults, nothing else."""

    name: str

    async def open(self, spec: BoxSpec, receiver: Receiver) -> Connection:
        """Start a box whose zygote awaits its START frame."""

    async def image_digest(self, source: Source) -> str:
        """What the verdicts of ``source`` depend on besides its wheel: the image, as ``sha256:…``."""

    async def reap(self) -> int:
        """Remove what dead owners left behind; returns how many boxes."""

    async def aclose(self) -> None:
        """Let go of engine connections. Boxes are killed by the pool beforehand."""

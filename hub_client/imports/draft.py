"""A draft: what an importer found out about a package before its project is written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hub_client.errors import CheckFailedError
from schemas.wheels.requirements import LockedRequirement


class ImportRefusedError(CheckFailedError):
    """A part of the source that cannot be a package. The message is one sentence with the reason."""


@dataclass(frozen=True)
class Item:
    """One package that a source offers. ``refused``: why it cannot be imported; empty when it can."""

    name: str
    line: str = ""
    refused: str = ""


@dataclass(frozen=True)
class Provenance:
    """Where a package comes from. ``source`` is what was typed: ``reasoning-gym:leg_counting``."""

    source: str
    version: str
    licence: str
    home: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What was given with ``--arg``."""


@dataclass(frozen=True)
class Needs:
    """The Python packages that the code needs, with their lock. ``without`` names dependencies that are left out."""

    dependencies: Sequence[str] = ()
    without: Sequence[str] = ()
    lock: Sequence[LockedRequirement] = ()


@dataclass(frozen=True)
class Draft:
    """A package that is going to be written. Its code comes from the source if that is a dependency, else from a
    template.

    The test split is always stored as a file. If ``generates`` is true, the code has a function ``generate(split, seed,
    index)``: train is endless, and the tasks of test are generated at the import.
    """

    provenance: Provenance
    summary: str
    code: str
    rewards: Mapping[str, Mapping[str, Any]]
    needs: Needs = Needs()
    splits: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """Stored tasks by split; empty where ``generates`` is true."""
    generates: bool = False
    evaluation: int = 0
    """For an evaluation, the number of different tasks that ``generate`` makes. All are for test, and there is no train
    split.
    """
    session: bool = False
    """The code has a class ``Session``, and ``verify`` takes its state: ``{"moves": [...]}``. ``answer`` of a task is
    then a list of moves that are right, or null.
    """
    response: str = "{answer}"
    """The form of a response: ``{answer}`` stands for the answer."""
    one_right_answer: bool = False
    """Only the task's own answer is right, so any other text is certainly wrong; of a game, any other single move."""
    cases: Sequence[Mapping[str, Any]] = ()
    """Labelled cases that the source brings. Without any, cases are made from the tasks' answers."""
    tags: Sequence[str] = ()
    notes: Sequence[str] = ()
    """Sentences for the README."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Path beside the code -> content, for what the code reads or imports."""
    proved: bool = False
    """Leave out tasks whose own right case is not accepted, since nothing then shows that they work in a box."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Part of the source -> why it is not in this package."""
    then: Callable[[Mapping[str, Any]], "Draft"] | None = None
    """For a source whose rewards are known only by running its code. This draft runs in a box first, and the ``info``
    of its first task gives the final draft.
    """
    model: Mapping[str, Any] = field(default_factory=dict)
    """What the verifier asks a model, as ``[model]`` of the manifest has it; empty where it asks none. The model that
    is offered at the import becomes the one that it is made for."""
    requires_python: str = ">=3.11"
    memory_mb: int = 512
    timeout_seconds: float = 10.0

    def __post_init__(self) -> None:
        """Refuse a draft without tasks, or with two sources of them."""
        if self.generates == bool(self.splits):
            raise ValueError(f"{self.provenance.source}: a draft either generates its tasks or has them in splits")


class Importer(Protocol):
    """A source of packages."""

    def items(self) -> list[Item]:
        """What it offers, by name."""
        ...

    def draft(self, item: str) -> Draft:
        """The package of that name. Raises :class:`ImportRefusedError`, or NotFoundError for an unknown name."""
        ...

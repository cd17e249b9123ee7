"""A labelled case: a task, a response, and the verdict it must get."""

from enum import StrEnum
from typing import Any, Self

from pydantic import Field, model_validator

from schemas.base import WireModel


class Label(StrEnum):
    """The label of a case: whether its response must be accepted or rejected."""

    CORRECT = "correct"
    INCORRECT = "incorrect"


class Origin(StrEnum):
    """Where a case comes from.

    - ``author``: published with the package.
    - ``suite``: from a suite of another owner.
    - ``held``: kept by the hub and never handed out.
    - ``community``: a counter-example that somebody seconded.
    - ``rollout``: a rollout that people labelled.
    - ``reported``: a counter-example that nobody has seconded yet. It is run and shown, but counts in no rate.
    - ``probe``: generated.
    """

    AUTHOR = "author"
    SUITE = "suite"
    HELD = "held"
    COMMUNITY = "community"
    ROLLOUT = "rollout"
    REPORTED = "reported"
    PROBE = "probe"

    @property
    def is_independent(self) -> bool:
        """Whether the case was chosen and labelled by somebody other than the package's author, and others agreed."""
        return self in (Origin.SUITE, Origin.HELD, Origin.COMMUNITY, Origin.ROLLOUT)


class AuditCase(WireModel):
    """A task, a response, and the verdict that the response must get.

    Without ``expect``, ``label`` applies to all rewards with the role ``score`` together.
    """

    id: str = Field(min_length=1, max_length=200)
    task_id: str | None = None
    task: dict[str, Any] | None = None
    response: str | None = None
    messages: list[dict[str, Any]] | None = None
    state: dict[str, Any] | None = None
    files: dict[str, str] | None = None
    label: Label
    expect: dict[str, float] | None = None
    origin: Origin = Origin.AUTHOR
    tags: list[str] = Field(default_factory=list)
    note: str = ""
    source: str = ""
    licence: str = ""
    labelled_by: str = Field(default="", max_length=200)
    """Who labelled it and how: ``a rule``, ``two annotators``, ``its tests, run``. It says nothing about the case
    itself, so no digest of cases reads it."""
    cluster: str = Field(default="", max_length=200)
    """What produced this case and others like it: a form, a template, a generator. Such cases are not independent."""
    disputed: bool = False
    by_owner: bool = False
    """A counter-example that only the package's owner has seconded, or with it accounts of standing: it lowers a grade
    where the verifier is wrong, and is the author's where it is right. Only a hub sets this."""
    uncorroborated: bool = False
    """Only accounts of standing (and the owner, where ``by_owner``) say that its label is right: no moderator, and no
    verifier of other people's. Only a hub sets this."""
    first_look: bool = False
    """The release was published before its author could know the case. Only a hub can set this."""
    behind: str = Field(default="", max_length=200)
    """Who is behind the suite of this case; suites that share a person have the same. Only a hub sets this."""

    @property
    def as_authors(self) -> Self:
        """The case with everything that only a hub may claim removed: its origin becomes ``author``."""
        claims = {"first_look": False, "by_owner": False, "uncorroborated": False, "behind": ""}
        return self.model_copy(update={"origin": Origin.AUTHOR, **claims})

    @model_validator(mode="after")
    def _has_both_sides(self) -> Self:
        if self.task is None and self.task_id is None:
            raise ValueError(f"audit case {self.id!r} needs task or task_id")
        if self.response is None and self.messages is None and self.state is None and self.files is None:
            raise ValueError(f"audit case {self.id!r} needs response, messages, state or files")
        return self

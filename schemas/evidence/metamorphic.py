"""Metamorphic pairs: two cases of which nobody need know the right verdict, only whether it must be the same."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from schemas.base import WireModel

Relation = Literal["same", "different"]
SHOWN_BROKEN = 3  # chosen: examples for a reader, no list


class PairSide(WireModel):
    """What a model did. ``task`` is set where the rewriting changes the task as well."""

    task: dict[str, Any] | None = None
    response: str | None = None
    messages: list[dict[str, Any]] | None = None
    state: dict[str, Any] | None = None
    files: dict[str, str] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.response is None and self.messages is None and self.state is None and self.files is None:
            raise ValueError("needs response, messages, state or files")
        return self


class MetamorphicPair(WireModel):
    """A row of ``[probes] pairs``: one answer before and after a rewriting, and what that must do to the verdict.

    After Chen, Cheung & Yiu, *Metamorphic testing* (1998): relations between outputs in place of an oracle.
    """

    rewriting: str = Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)
    """The rewriting's name. All pairs of one name have one relation, and are reported together."""
    relation: Relation
    """``same``: both are accepted, or neither is. ``different``: one is accepted, and the other is not."""
    task_id: str | None = None
    task: dict[str, Any] | None = None
    before: PairSide
    after: PairSide
    note: str = ""

    @model_validator(mode="after")
    def _has_a_task(self) -> Self:
        if self.task is None and self.task_id is None and (self.before.task is None or self.after.task is None):
            raise ValueError("needs task or task_id")
        return self


class BrokenPair(WireModel):
    """A pair whose verdicts contradict its relation. Texts are shortened when they are very long."""

    before: str
    after: str
    accepted: bool
    """Whether the first was accepted. The second was too where the verdicts must differ, and was not otherwise."""
    task: dict[str, Any] = Field(default_factory=dict)
    note: str = ""


class MetamorphicOutcome(WireModel):
    """One rewriting: how many of its pairs got verdicts that contradict the relation.

    These are its author's pairs. They are in no rate and lower no grade.
    """

    relation: Relation
    pairs: int
    broken: int
    unscored: int = 0
    """Pairs of which at least one side was not judged."""
    accepted: int = 0
    """Pairs whose first side was accepted. A verifier that accepts nothing keeps every ``same``."""
    mean_change: float | None = None
    """Mean absolute change of the weighted reward, as a share of its range, 0..1. Null where nothing was judged."""
    examples: list[BrokenPair] = Field(default_factory=list, max_length=SHOWN_BROKEN)
    fault: str = ""
    """Why there are no pairs, where the author's function failed."""

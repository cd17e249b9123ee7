"""Labels of people: the questions that verifiers leave open, what was answered, and how far people agree."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from schemas.audit import Label
from schemas.base import WireModel
from schemas.names import VersionText


class Answer(StrEnum):
    """Whether the response is right."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNSURE = "unsure"


class VerdictBy(WireModel):
    """What one verifier said. ``by``: ``owner/name@version``, or the held-out verifier of a run."""

    by: str
    rewards: dict[str, float | None] = Field(default_factory=dict)
    accepted: bool | None = None
    acceptance: float | None = None
    """How clearly it accepts: 0 rejects clearly, 1 accepts clearly, 0.5 is the threshold. None: not judged."""


class GivenLabel(WireModel):
    """One person's answer. Somebody who changes their mind has several; the latest counts."""

    labelled_by: str
    answer: Answer
    note: str = ""
    labelled_at: datetime
    counts: bool = True
    """False for an answer that its author has replaced."""


class LabelQuestion(WireModel):
    """A response on which verifiers part. ``labels`` is None for whoever has not answered yet: nobody is led."""

    id: str
    package: str
    version: VersionText
    task: dict[str, Any]
    response: str | None = None
    messages: list[dict[str, Any]] | None = None
    run_id: str | None = None
    rollout_id: int | None = None
    step: int | None = None
    verdicts: list[VerdictBy]
    bits: float
    """What the verdicts, weighed by their audited error rates, leave open: 1 as good as a coin, 0 settled."""
    label_count: int
    state: Literal["open", "settled"]
    agreed_label: Label | None = None
    case_id: str | None = None
    created_at: datetime
    my_answer: Answer | None = None
    labels: list[GivenLabel] | None = None


class LabelRequest(WireModel):
    """An answer to a question."""

    answer: Answer
    note: str = Field(default="", max_length=2000)


class LabelAgreement(WireModel):
    """Krippendorff's alpha of a package's labels, nominal, *cannot tell* left out.

    None where no two people answered one question, or all always said the same. ``low``, ``high``: 95 %, by bootstrap
    over questions; None below ten questions, which are too few for it.
    """

    alpha: float | None
    low: float | None
    high: float | None
    units: int
    """Questions that at least two people answered."""
    annotators: int
    labels: int


class NextQuestion(WireModel):
    """The most informative question that the asker has not answered, and how many there are."""

    item: LabelQuestion | None
    left: int


class QueuedJob(WireModel):
    """Work that a worker will do."""

    job: str

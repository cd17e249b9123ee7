"""Labels given by people: questions on which verifiers disagree, the answers, and how far people agree."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from schemas.base import WireModel
from schemas.evidence.cases import Label
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
    """How clearly it accepts: 0 = clearly rejects, 0.5 = at the threshold, 1 = clearly accepts. None: not judged."""
    executed: bool | None = None
    """Whether the hub ran it. False: whoever uploaded the run says that it said so. Null: an older hub did not note it.
    """


class GivenLabel(WireModel):
    """One person's answer. A person who changes their mind has several answers; the latest counts."""

    labelled_by: str
    answer: Answer
    note: str = ""
    labelled_at: datetime
    counts: bool = True
    """False for an answer that its author has replaced."""


class LabelQuestion(WireModel):
    """A response on which verifiers disagree.

    ``labels`` is None for a person who has not answered yet, so that nobody is influenced.
    """

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
    """Uncertainty in bits that remains after weighing the verdicts by their audited error rates:

    1 = unknown, 0 = settled.
    """
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
    """Krippendorff's alpha of a package's labels (nominal; *cannot tell* is left out).

    None when no two people answered the same question, or when everybody always gave the same answer. ``low`` and
    ``high`` are the 95 % bounds by bootstrap over questions. They are None below ten questions, which are too few.
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
    """A job that a worker will run."""

    job: str

"""Tables of audits, counter-examples, labels and comparisons."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Double, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class AuditRow(Base):
    """One measurement of one release. Its id is that of the job that makes it."""

    __tablename__ = "audits"
    __table_args__ = (Index("ix_audits_package_id_id", "package_id", "id"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(ForeignKey("packages.id"))
    release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), index=True)
    version: Mapped[str]
    state: Mapped[str]
    done_cases: Mapped[int] = mapped_column(default=0)
    total_cases: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    report: Mapped[dict[str, Any] | None]
    replayed: Mapped[list[str]] = mapped_column(default=list)
    """Counter-examples that were among its cases when it began."""
    verdicts: Mapped[dict[str, Any] | None]
    """Key of a case's content -> whether it was accepted. Only a release's newest audit keeps it."""
    changed: Mapped[list[dict[str, Any]]] = mapped_column(default=list)
    """Verdicts that differ from an earlier audit of the release."""


class SuiteResultRow(Base):
    """What a release's newest audit measured on one suite: all that the suite's page shows of it."""

    __tablename__ = "suite_results"

    release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    suite: Mapped[str] = mapped_column(primary_key=True, index=True)
    measurement: Mapped[dict[str, Any]]
    wrong: Mapped[dict[str, Any]]
    """Case of the suite -> ``fp`` or ``fn``, for those that it got wrong; held ones left out."""


class CounterExampleRow(Base):
    """An audit case that somebody submitted.

    ``content_key``: SHA-256 of task and response. ``case_key`` adds the claim and is unique, so that each claim is made
    once. For a refuted case it holds the id too, because a refuted case must not block a new one
    (``rules.cases.place_of_case``).
    """

    __tablename__ = "counter_examples"
    __table_args__ = (
        UniqueConstraint("package_id", "case_key"),
        Index("ix_counter_examples_package_id_id", "package_id", "id"),
        Index("ix_counter_examples_package_id_content_key", "package_id", "content_key"),
        Index("ix_counter_examples_content_key", "content_key"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(ForeignKey("packages.id"))
    case_key: Mapped[str]
    content_key: Mapped[str] = mapped_column(default="")
    claim: Mapped[str] = mapped_column(default="")
    """The label and, where the case expects single rewards, on which side of its threshold each must be."""
    case: Mapped[dict[str, Any]]
    state: Mapped[str]
    submitted_by: Mapped[str] = mapped_column(index=True)
    submitted_at: Mapped[datetime]
    against: Mapped[str]
    fixed_in: Mapped[str | None]
    verdicts: Mapped[dict[str, Any]]
    error: Mapped[str] = mapped_column(default="")
    """Why the case could not be judged, or empty."""
    dispute_reason: Mapped[str] = mapped_column(default="")
    disputed_by: Mapped[str] = mapped_column(default="")
    disputed_at: Mapped[datetime | None] = mapped_column(index=True)
    """When the dispute began that is open; None: none is."""
    state_before_dispute: Mapped[str] = mapped_column(default="")
    hidden_reason: Mapped[str | None]
    """Why a moderator hid it; None: it is shown. A hidden case is in no list and in no audit."""
    history: Mapped[list[dict[str, Any]]] = mapped_column(default=list)
    """Provenance: who did what to it, and when (``schemas.evidence.counter_examples.CaseEvent``)."""
    counted_by: Mapped[str] = mapped_column(default="")
    """Who made it count (``rules.standing``). Empty: it is run and shown, and counts in no rate."""
    corroborated_by: Mapped[str] = mapped_column(default="")
    """Who confirms the label of a case that counts by accounts of standing: ``owner``, ``moderator``, ``verifiers``."""
    waits: Mapped[bool] = mapped_column(default=False)
    """It counted in no rate of the newest release's audit: too many others count by accounts of standing alone."""
    repeats: Mapped[str] = mapped_column(default="")
    """What counted in its place in the newest release's audit (``rules.cases.repeated_case``). Empty: it repeats none.
    """


class CaseSecondRow(Base):
    """Somebody who says that a counter-example's label is right."""

    __tablename__ = "case_seconds"

    case_id: Mapped[str] = mapped_column(ForeignKey("counter_examples.id"), primary_key=True)
    account: Mapped[str] = mapped_column(primary_key=True, index=True)
    seconded_at: Mapped[datetime]


class CaseDisputeRow(Base):
    """Somebody who has said that a counter-example's label is wrong. Why, and what became of it, is in its history."""

    __tablename__ = "case_disputes"

    case_id: Mapped[str] = mapped_column(ForeignKey("counter_examples.id"), primary_key=True)
    account: Mapped[str] = mapped_column(primary_key=True, index=True)
    disputed_at: Mapped[datetime | None]
    """None: before this was kept."""


class LabelQuestionRow(Base):
    """A response on which verifiers disagree: people are asked whether it is right.

    ``case`` holds task and response with a placeholder label; ``case_key`` is that of a counter-example. ``bits``: the
    uncertainty after the verdicts. ``priority``: the uncertainty after verdicts and people's labels; questions are
    ordered by it.
    """

    __tablename__ = "label_questions"
    __table_args__ = (
        UniqueConstraint("package_id", "case_key"),
        Index("ix_label_questions_case_key", "case_key"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(ForeignKey("packages.id"))
    case_key: Mapped[str]
    version: Mapped[str]
    """The release that is asked about, and executed on the agreed label."""
    case: Mapped[dict[str, Any]]
    run_id: Mapped[str | None]
    rollout_id: Mapped[int | None] = mapped_column(BigInteger)
    step: Mapped[int | None] = mapped_column(BigInteger)
    verdicts: Mapped[list[dict[str, Any]]]
    bits: Mapped[float] = mapped_column(Double)
    priority: Mapped[float] = mapped_column(Double)
    state: Mapped[str]
    agreed_label: Mapped[str | None]
    case_id: Mapped[str | None]
    created_at: Mapped[datetime]


Index(
    "ix_label_questions_state_priority", LabelQuestionRow.state, LabelQuestionRow.priority.desc(), LabelQuestionRow.id
)


class LeftOutRow(Base):
    """How many responses of a run the last search of a package left out of the queue, because of which limit."""

    __tablename__ = "left_out_responses"

    package_id: Mapped[str] = mapped_column(ForeignKey("packages.id"), primary_key=True)
    run_id: Mapped[str] = mapped_column(primary_key=True, index=True)
    """It may be deleted while the search goes on; its row then says nothing to anybody."""
    reached: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]


class LabelRow(Base):
    """One person's answer to one question.

    Rows never change: a second answer is a second row, and the later one counts.
    """

    __tablename__ = "labels"
    __table_args__ = (Index("ix_labels_labelled_by_question_id", "labelled_by", "question_id"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    question_id: Mapped[str] = mapped_column(ForeignKey("label_questions.id"), index=True)
    labelled_by: Mapped[str]
    answer: Mapped[str]
    note: Mapped[str] = mapped_column(default="")
    labelled_at: Mapped[datetime]


class ComparisonRow(Base):
    """Two releases' verifiers over the same cases. Its id is that of the job that makes it."""

    __tablename__ = "comparisons"
    __table_args__ = (Index(None, "left_release_id", "right_release_id"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    left_release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"))
    right_release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"))
    state: Mapped[str]
    error: Mapped[str] = mapped_column(default="")
    requested_by: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    result: Mapped[dict[str, Any] | None]


class SourceMinhashRow(Base):
    """The MinHash signature of a release's verifier source."""

    __tablename__ = "source_minhashes"

    release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    minhash: Mapped[dict[str, Any]]


class DrawRow(Base):
    """The letter of a release for which cases were drawn, and its code: a try, also once the release is taken down.

    Nothing of the code can be read back from it.
    """

    __tablename__ = "draws"

    release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    package_id: Mapped[str] = mapped_column(ForeignKey("packages.id"), index=True)
    code: Mapped[str] = mapped_column(index=True)
    """SHA-256 of the verifier's files without the package's own name; empty where it has no verifier of its own."""
    minhash: Mapped[dict[str, Any]]
    grade: Mapped[str]
    """The newest letter."""
    measured_at: Mapped[datetime]
    """When it was measured first."""


class NeighbourRow(Base):
    """Another package's release with the same verdicts or similar code. Each pair is stored in both directions."""

    __tablename__ = "neighbours"

    release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    other_release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), primary_key=True, index=True)
    source_similarity: Mapped[float] = mapped_column(Double)
    judged: Mapped[int]
    """Shared cases that both judged."""
    agreed: Mapped[int]
    distance: Mapped[float | None] = mapped_column(Double)
    behaves_alike: Mapped[bool]
    suite_digest: Mapped[str]
    found_at: Mapped[datetime]

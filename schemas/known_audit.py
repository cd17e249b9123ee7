"""What is known of a verifier's audit when somebody is about to use it, and the limits that it must keep."""

from dataclasses import dataclass
from typing import Self

from schemas.base import WireModel
from schemas.evidence.audit import AuditReport
from schemas.evidence.rates import Grade, Measurement, Rate
from schemas.measures.grades import GRADE_BOUNDS, is_worse, percent
from schemas.names import Digest, VersionText, split_release

LETTERS = (*(grade for grade, _ in GRADE_BOUNDS), Grade.F)
"""The grades that say how good a verifier is, best first. Any other letter says that it was not measured enough."""


class KnownAudit(WireModel):
    """The newest audit of one release, in short: enough to judge the release, and to see later what has changed."""

    package: str
    version: VersionText
    digest: Digest
    """Of the release that was measured."""
    audit: str = ""
    """The audit's id on the hub; empty for a report in a file."""
    report_digest: str
    grade: str
    """A letter: see :class:`~schemas.evidence.rates.Grade`."""
    fpr: Rate
    """Of the evidence that the grade is based on, as is ``fnr``. What limits are compared with."""
    fnr: Rate
    independent: Measurement | None = None
    """All evidence that does not come from the author; null without any. What corrections are computed from."""

    @classmethod
    def of(cls, report: AuditReport, *, audit: str, report_digest: str) -> Self:
        """What a report says. ``audit``: its id on the hub."""
        grading = report.grading
        reads = grading.reads if grading and grading.reads else report.overall
        package, version = split_release(report.subject)
        return cls(
            package=package,
            version=version,
            digest=report.digest,
            audit=audit,
            report_digest=report_digest,
            grade=report.grade,
            fpr=reads.fpr,
            fnr=reads.fnr,
            independent=grading.independent if grading else None,
        )

    def differences(self, now: "KnownAudit | None") -> list[str]:
        """How a later audit differs, one line each; empty when it is the same one."""
        if now is None:
            return [f"{self.package}@{self.version} had audit {self.audit or 'in a file'}, and has none now"]
        if now.report_digest == self.report_digest:
            return []
        then, later = self.in_words, now.in_words
        changed = f"was {then}, is {later}" if then != later else f"says the same on other cases: {later}"
        return [f"the audit of {self.package}@{self.version} {changed}"]

    @property
    def in_words(self) -> str:
        """Letter and both rates."""
        return f"{self.grade}, FPR {rate_in_words(self.fpr)}, FNR {rate_in_words(self.fnr)}"


@dataclass(frozen=True)
class AuditLimits:
    """What an audit must show before a verifier is used. ``None`` sets no limit.

    ``max_fpr`` and ``max_fnr`` are compared with the upper end of the 95 % interval. ``grade``: this letter or better.
    """

    max_fpr: float | None = None
    max_fnr: float | None = None
    grade: Grade | None = None

    def __post_init__(self) -> None:
        for name, limit in (("max_fpr", self.max_fpr), ("max_fnr", self.max_fnr)):
            if limit is not None and not 0 <= limit <= 1:
                raise ValueError(f"{name} is a share between 0 and 1, not {limit}")
        if self.grade is not None and self.grade not in LETTERS:
            raise ValueError(f"grade is one of {', '.join(LETTERS)}, not {self.grade}")

    @property
    def is_set(self) -> bool:
        """Whether there is any limit."""
        return (self.max_fpr, self.max_fnr, self.grade) != (None, None, None)

    def faults(self, known: KnownAudit) -> list[str]:
        """Every limit that the audit breaks, one sentence each; empty when it keeps them all.

        A letter that is none of A to F says that too little was measured, and keeps no limit.
        """
        if not self.is_set:
            return []
        if known.grade not in LETTERS:
            return [f"its grade is {known.grade}: too little was measured to say how often it is wrong"]
        found = []
        for word, name, limit, rate in (
            ("accepts wrong answers", "max FPR", self.max_fpr, known.fpr),
            ("rejects right answers", "max FNR", self.max_fnr, known.fnr),
        ):
            if limit is not None and (rate.value is None or rate.high > limit):
                measured = "was not measured" if rate.value is None else f"is {rate_in_words(rate)}"
                found.append(f"how often it {word} {measured}; the limit ({name}) is {percent(limit)}")
        if self.grade is not None and is_worse(Grade(known.grade), self.grade):
            found.append(f"its grade is {known.grade}; {self.grade} or better is asked for")
        return found


def rate_in_words(rate: Rate) -> str:
    """``1.4 % [0.4 %, 6.1 %]``."""
    if rate.value is None:
        return "not measured"
    return f"{percent(rate.value)} [{percent(rate.low)}, {percent(rate.high)}]"

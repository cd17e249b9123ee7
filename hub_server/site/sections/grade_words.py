"""Why a verifier has its letter, in one sentence, for the home page and a package's head."""

from schemas.evidence.part_words import part_words
from schemas.evidence.rates import Grade
from schemas.measures.grades import grade_of
from schemas.package import AuditSummary


def letter_words(summary: AuditSummary) -> str:
    """What gives the letter: the larger upper bound alone, or what lowers it below that. Empty without a letter."""
    by_bounds = grade_of(summary.graded)
    if summary.grade is Grade.UNMEASURED:
        return ""
    if by_bounds is summary.grade:
        return f"The larger upper bound gives the grade: {summary.grade}."
    said = f"By the larger upper bound alone the grade would be {by_bounds}"
    if summary.pulled:
        return (
            f"{said}; the part “{part_words(summary.pulled[0].name)}” is surely worse, which makes it {summary.grade}."
        )
    if summary.is_hollow:
        return f"{said}; with its author's own cases alone it is at most {summary.grade}."
    return f"{said}; the audit report says why it is {summary.grade}."

"""Which words of a report are left out, because a moderator hid the case or stopped the suite that they come from."""

from collections.abc import Collection, Iterable

from hub_server.audits.rules.cases import COMMUNITY_PREFIX
from schemas.comparison import VerifierComparison
from schemas.evidence.audit import AuditReport, Failure
from schemas.names import names_package

WITHHELD_NOTE = "Its words are withheld by this hub's moderators."


def community_ids(names: Iterable[str]) -> set[str]:
    """The ids of counter-examples among the names of cases in a report."""
    return {name.removeprefix(COMMUNITY_PREFIX) for name in names if name.startswith(COMMUNITY_PREFIX)}


def suite_ids(names: Iterable[str]) -> set[str]:
    """The suites (``owner/name``) among the names of cases in a report."""
    return {suite for suite, colon, _ in (name.partition(":") for name in names) if colon and names_package(suite)}


def is_withheld(name: str, hidden: Collection[str], stopped: Collection[str]) -> bool:
    """Whether a case's words are left out. ``hidden``: ids of counter-examples; ``stopped``: suites."""
    prefix, _, rest = name.partition(":")
    return prefix in stopped or (name.startswith(COMMUNITY_PREFIX) and rest in hidden)


def report_without(report: AuditReport, hidden: Collection[str], stopped: Collection[str]) -> AuditReport:
    """The report without the words of those cases, unsigned. Its figures stay: they were measured.

    The same object where it has none of them.
    """
    if not any(is_withheld(failure.case, hidden, stopped) for failure in report.failures):
        return report
    failures = [_wordless(one) if is_withheld(one.case, hidden, stopped) else one for one in report.failures]
    return report.model_copy(update={"failures": failures, "signature": None})


def _wordless(failure: Failure) -> Failure:
    words: dict[str, object] = {
        "tags": [],
        "note": WITHHELD_NOTE,
        "task": None,
        "response": None,
        "error": "",
        "asked": [],
    }
    return failure.model_copy(update=words)


def comparison_without(
    found: VerifierComparison, hidden: Collection[str], stopped: Collection[str]
) -> VerifierComparison:
    """The comparison without the tasks and responses of those cases."""
    kept = [
        one.model_copy(update={"task": None, "response": None}) if is_withheld(one.case, hidden, stopped) else one
        for one in found.disagreements
    ]
    return found.model_copy(update={"disagreements": kept})

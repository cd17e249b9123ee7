"""Which words of a report are left out, because a moderator hid the case or stopped the suite that they come from."""

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from hub_server.audits.rules.cases import COMMUNITY_PREFIX
from schemas.comparison import VerifierComparison
from schemas.evidence.audit import AuditReport, Failure
from schemas.names import names_package

_NO_NOTES: Mapping[str, str] = MappingProxyType({})
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


def report_without(
    report: AuditReport, hidden: Collection[str], stopped: Collection[str], notes: Mapping[str, str] = _NO_NOTES
) -> AuditReport:
    """The report without the words of those cases, unsigned. Its figures stay: they were measured.

    ``notes``: what counter-examples are noted with now. A note of several people loses the words of who is hidden.
    The same object where nothing is left out.
    """
    failures = [
        _wordless(one) if is_withheld(one.case, hidden, stopped) else _noted_anew(one, notes) for one in report.failures
    ]
    if all(one is before for one, before in zip(failures, report.failures, strict=True)):
        return report
    return report.model_copy(update={"failures": failures, "signature": None})


def _noted_anew(failure: Failure, notes: Mapping[str, str]) -> Failure:
    note = notes.get(failure.case.removeprefix(COMMUNITY_PREFIX), failure.note)
    is_quoted = failure.case.startswith(COMMUNITY_PREFIX) and failure.note
    return failure.model_copy(update={"note": note}) if is_quoted and note != failure.note else failure


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

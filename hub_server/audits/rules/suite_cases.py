"""Adapts a suite's case to a verifier."""

import logging
from collections.abc import Callable, Iterable

from hub_server.audits.rules.cases import case_fault
from schemas.evidence.cases import AuditCase, Origin
from schemas.evidence.suite_cases import as_judged
from schemas.suite import SuiteAdapter

MOST_CHARACTERS = 200_000
"""Of one case: as much as a counter-example may have."""
_log = logging.getLogger("hub_server.audits")


def adapted(
    case: AuditCase, adapter: SuiteAdapter, *, suite: str, behind: str, first_look: bool, origin: Origin
) -> AuditCase:
    """The case as the verifier judges it, with what the hub knows of the suite.

    ``behind``: who is behind the suite, as ``rules.suite_owners`` counts owners.

    Raises ``ValueError`` for a case that is not sound: it would end the audit of whoever is measured on it.
    """
    if fault := case_fault(case):
        raise ValueError(f"case {case.id!r}: {fault}")
    if len(case.model_dump_json()) > MOST_CHARACTERS:
        raise ValueError(f"case {case.id!r} is larger than {MOST_CHARACTERS} characters")
    known = {"by_owner": False, "uncorroborated": False, "behind": behind, "origin": origin, "first_look": first_look}
    return as_judged(case, adapter, suite).model_copy(update=known)


def adapt_all(cases: Iterable[AuditCase], adapt: Callable[[AuditCase], AuditCase], where: str) -> list[AuditCase]:
    """The adapted cases. One that is not sound is logged and left out: it must not end another package's audit."""
    found = []
    for case in cases:
        try:
            found.append(adapt(case))
        except ValueError as error:
            _log.warning("%s: %s", where, error)
    return found

"""The labelled cases that a release is measured on: its own, and the community's."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from pydantic import ValidationError

from hub_server.audits.actions.case_rows import is_agreed
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.rules.cases import case_fault, community_id
from hub_server.audits.rules.crowd_limit import most_that_count
from hub_server.audits.rules.standing import BY_OWNER, STANDING, is_by_standing_alone
from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.cases import AuditCase, Origin
from schemas.evidence.counter_examples import CaseState

_log = logging.getLogger("hub_server.audits")


def community_rows(work: UnitOfWork, package_id: str) -> list[CounterExampleRow]:
    """Every case that all releases must face: all but the refuted ones."""
    return case_queries.cases_to_replay(work.session, package_id)


def community_cases(
    rows: Sequence[CounterExampleRow], frozen_at: datetime | None = None, beside: Iterable[AuditCase] | None = None
) -> list[AuditCase]:
    """Counter-examples as cases of a report, disputed ones marked. Unusable ones are logged and left out.

    A case that nobody has seconded is run and counts in no rate, and neither does what accounts of standing alone have
    seconded beyond their limit (``rules.crowd_limit``), which follows from the cases ``beside`` (``None``: no limit). A
    case that was submitted after the release (``None``: unknown) is a first look at it.
    """
    waiting = waiting_for_more(rows, beside) if beside is not None else frozenset()
    cases = []
    for row in rows:
        try:
            case = AuditCase.read(row.case)
        except ValidationError as error:
            _log.warning("counter-example %s of %s cannot be read: %s", row.id, row.package_id, error)
            continue
        if fault := case_fault(case):
            _log.warning("counter-example %s of %s is not replayed: %s", row.id, row.package_id, fault)
            continue
        is_by_standing = row.counted_by in STANDING
        is_disputed = row.state == CaseState.DISPUTED
        counts = row.counted_by and row.id not in waiting
        origin = Origin.REPORTED if not counts else Origin.ROLLOUT if is_agreed(row) else Origin.COMMUNITY
        update = {
            "id": community_id(row.id),
            "origin": origin,
            "disputed": is_disputed,
            "by_owner": row.counted_by == BY_OWNER or (is_by_standing and row.corroborated_by == BY_OWNER),
            "uncorroborated": is_by_standing and row.corroborated_by in ("", BY_OWNER),
            "first_look": frozen_at is not None and row.submitted_at > frozen_at,
        }
        cases.append(case.model_copy(update=update))
    return cases


def waiting_for_more(rows: Iterable[CounterExampleRow], beside: Iterable[AuditCase]) -> frozenset[str]:
    """Ids of counter-examples that wait for somebody else: what accounts of standing say alone, beyond their limit.

    The oldest take up the limit. Labelled rollouts are not among them: how many of these count depends on their
    verdicts (``sandbox.audit.labelled_answers``).
    """
    limits, taken, waiting = most_that_count(beside), defaultdict[str, int](int), set()
    for row in sorted(rows, key=lambda one: (one.submitted_at, one.id)):
        if not is_by_standing_alone(row.counted_by, row.corroborated_by) or is_agreed(row):
            continue
        label = str(row.case.get("label"))
        taken[label] += 1
        if taken[label] > limits.get(label, 1):
            waiting.add(row.id)
    return frozenset(waiting)


def tasks_by_id(
    work: UnitOfWork, target: execution.ScoringTarget, cases: Sequence[AuditCase]
) -> dict[str, dict[str, object]]:
    """The tasks that cases name by id, from every file split of the release."""
    wanted = {case.task_id for case in cases if case.task is None and case.task_id is not None}
    found: dict[str, dict[str, object]] = {}
    if wanted:
        for split in target.file_splits:
            tasks = work.services.wheels.tasks_by_id(target.digest, split)
            for task_id in (wanted & tasks.keys()) - found.keys():
                found[task_id] = tasks[task_id].model_dump(mode="json")
    return found

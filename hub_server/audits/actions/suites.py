"""The labelled cases that a release is measured on: its own, and the community's."""

from collections.abc import Sequence

from hub_server.audits import queries
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.rules import community_id
from hub_server.execution import actions as execution
from hub_server.work import Work
from schemas.audit import AuditCase, CaseState, Origin


def community_rows(work: Work, package_id: str) -> list[CounterExampleRow]:
    """Everything that every release must face: all but what was refuted."""
    return queries.cases_to_replay(work.session, package_id)


def community_cases(rows: Sequence[CounterExampleRow]) -> list[AuditCase]:
    """Counter-examples as cases of a report, disputed ones marked."""
    cases = []
    for row in rows:
        case = AuditCase.read(row.case)
        is_disputed = row.state == CaseState.DISPUTED
        update = {"id": community_id(row.id), "origin": Origin.COMMUNITY, "disputed": is_disputed}
        cases.append(case.model_copy(update=update))
    return cases


def tasks_by_id(
    work: Work, target: execution.ScoringTarget, cases: Sequence[AuditCase]
) -> dict[str, dict[str, object]]:
    """The tasks that cases name by id, from every file split of the release."""
    wanted = {case.task_id for case in cases if case.task is None and case.task_id is not None}
    found: dict[str, dict[str, object]] = {}
    if wanted:
        for split in target.file_splits:
            tasks = work.parts.wheels.tasks_by_id(target.digest, split)
            for task_id in (wanted & tasks.keys()) - found.keys():
                found[task_id] = tasks[task_id].model_dump(mode="json")
    return found

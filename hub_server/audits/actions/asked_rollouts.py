"""Which rollouts of a run people are asked about, and why not about every one."""

from collections.abc import Sequence
from dataclasses import dataclass

from hub_server.audits.actions.disagreements import stored_task
from hub_server.audits.actions.labels import SETTLED, get_question
from hub_server.audits.errors import QuestionNotFoundError
from hub_server.audits.models import LabelQuestionRow
from hub_server.audits.queries import labels as label_queries
from hub_server.audits.rules.cases import case_key
from hub_server.catalog import actions as catalog
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import actions as runs
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.labels import LabelQuestion
from schemas.names import LATEST
from schemas.run import RolloutRow, Run

WHY_CHOSEN = (
    "The hub chooses the responses that people are asked about, those on which verifiers disagree: if anybody could "
    "choose, friends could agree on responses that suit them."
)


@dataclass(frozen=True)
class AskedRollout:
    """The question about a rollout's response, and the label that people agreed on; None while it is open."""

    question_id: str
    label: str | None


def list_asked_rollouts(work: UnitOfWork, run: Run, rollouts: Sequence[RolloutRow]) -> dict[int, AskedRollout]:
    """Of these rollouts, by number, those that people are or were asked about."""
    found: dict[int, AskedRollout] = {}
    for pin in {pin.package: pin for pin in run.packages}.values():
        own = [one for one in rollouts if (one.package or run.packages[0].package) == pin.package]
        if own and label_queries.has_questions(work.session, pin.package):
            found |= _asked_of_package(work, run, pin.package, pin.version, own)
    return found


def _asked_of_package(
    work: UnitOfWork, run: Run, package: str, pinned: str, rollouts: Sequence[RolloutRow]
) -> dict[int, AskedRollout]:
    """By task and response where the task is stored; a generated one is known by its id, in questions of this run."""
    latest = catalog.find_release(work, package, LATEST)
    versions = (pinned, latest.version) if latest is not None else (pinned,)
    keys = {one.id: _key_of(work, package, versions, one) for one in rollouts}
    wanted = [key for key in keys.values() if key]
    asked = label_queries.shown_questions(work.session, package, wanted, run.id)
    by_key = {row.case_key: row for row in asked}
    by_words = {_words_of(row): row for row in asked if row.run_id == run.id}
    return {
        one.id: AskedRollout(row.id, row.agreed_label if row.state == SETTLED else None)
        for one in rollouts
        if one.id is not None
        and (row := by_key.get(keys[one.id]) or by_words.get((one.task_id, one.response))) is not None
    }


def _key_of(work: UnitOfWork, package: str, versions: Sequence[str], rollout: RolloutRow) -> str:
    task = stored_task(work, package, versions, rollout.task_id)
    if task is None:
        return ""
    case = AuditCase(
        id="question", task=task, response=rollout.response, label=Label.INCORRECT, origin=Origin.COMMUNITY
    )
    return case_key(case)


def _words_of(row: LabelQuestionRow) -> tuple[str, str]:
    return str((row.case.get("task") or {}).get("id", "")), str(row.case.get("response") or "")


def get_question_of_rollout(work: UnitOfWork, run_id: str, number: int) -> LabelQuestion:
    """The question about a rollout's response. Raises ``RunNotFoundError``, and ``QuestionNotFoundError`` with why."""
    run = runs.get_run(work, run_id)
    rollout = runs.get_rollout(work, run_id, number)
    asked = list_asked_rollouts(work, run, [rollout]).get(number)
    if asked is None:
        raise QuestionNotFoundError(
            f"People are not asked about rollout {number} of this run. {WHY_CHOSEN} Where its verdict is wrong, "
            "submit it as a counter-example: `verihub cases add PACKAGE --run ID --rollout N --label LABEL`, or the "
            "link under it on the run's page."
        )
    return get_question(work, asked.question_id)

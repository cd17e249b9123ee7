"""Labels: the queue, an answer, agreement, and the case that an agreed answer becomes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from hub_server.audits.actions.case_rows import case_of
from hub_server.audits.actions.cases import ExecutedCase, PreparedCase, execute_case_soon, keep_case
from hub_server.audits.actions.disagreements import bits_left
from hub_server.audits.actions.quotas import refuse_too_many_labels
from hub_server.audits.actions.seconders import SECONDABLE, confirm_by_labels, count_by_labels
from hub_server.audits.errors import CaseExistsError, QuestionNotFoundError, TooManyLabelsError
from hub_server.audits.models import LabelQuestionRow, LabelRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import labels as label_queries
from hub_server.audits.rules.agreement import measure_agreement
from hub_server.audits.rules.cases import claim_of
from hub_server.audits.rules.event_words import HUB, agreement_of
from hub_server.audits.rules.uncertainty import agreed_label
from hub_server.catalog import actions as catalog
from hub_server.database import activity
from hub_server.database.base import new_id
from hub_server.execution import actions as execution
from hub_server.kernel.caller import require_caller
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.job_names import JobName
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.counter_examples import CounterExample
from schemas.evidence.labels import (
    Answer,
    GivenLabel,
    LabelAgreement,
    LabelQuestion,
    LabelRequest,
    NextQuestion,
    VerdictBy,
)
from schemas.page import Page

OPEN, SETTLED = "open", "settled"
SETTLE_DELAY_SECONDS = 60
"""Seconds before the job runs.

The request that settles a question executes its case itself; the job is for one that was cut off.
"""


@dataclass(frozen=True)
class Settled:
    """A question on whose answer people agreed, ready to be executed as a case."""

    question_id: str
    prepared: PreparedCase
    agreement: str
    by: str
    """Who agreed last: never the owner, nor anybody who came later or said otherwise."""


def next_question(work: UnitOfWork, package_id: str | None = None, skip: list[str] | None = None) -> NextQuestion:
    """The question that a label would help most, of those that the caller has not answered.

    Without a caller: the first.
    """
    package = catalog.get_package_row(work, package_id).id if package_id is not None else None
    name = work.caller.name if work.caller is not None else None
    row = label_queries.first_question(work.session, package, name, skip or [])
    left = label_queries.count_open_questions(work.session, package, name)
    return NextQuestion(item=_question_of(work, row) if row is not None else None, left=left)


def count_answered(work: UnitOfWork, package_id: str | None = None) -> int:
    """How many questions the caller has answered, settled ones too; 0 without one."""
    if work.caller is None:
        return 0
    package = catalog.get_package_row(work, package_id).id if package_id is not None else None
    return label_queries.count_answered_questions(work.session, package, work.caller.name)


def find_settled_example(work: UnitOfWork, package_id: str | None = None) -> LabelQuestion | None:
    """The newest question that people have settled: what labelling looks like where nothing is open."""
    package = catalog.get_package_row(work, package_id).id if package_id is not None else None
    row = label_queries.newest_settled_question(work.session, package)
    return _question_of(work, row) if row is not None else None


def list_questions(
    work: UnitOfWork, package_id: str | None = None, *, cursor: str | None = None, limit: int = 20
) -> Page[LabelQuestion]:
    """Open questions, the most informative first."""
    package = catalog.get_package_row(work, package_id).id if package_id is not None else None
    after = decode_cursor(cursor, "questions", float, str)
    rows = label_queries.page_of_questions(work.session, package, after, check_limit(limit) + 1)
    more = encode_cursor("questions", rows[limit - 1].priority, rows[limit - 1].id) if len(rows) > limit else None
    return Page[LabelQuestion](items=_questions_of(work, rows[:limit]), next=more)


def get_question(work: UnitOfWork, question_id: str) -> LabelQuestion:
    """One question. Raises ``QuestionNotFoundError``, and ``WithheldError`` where its package is hidden or gone."""
    return _question_of(work, _get_row(work, question_id))


def give_label(work: UnitOfWork, question_id: str, body: LabelRequest) -> Settled | None:
    """Store the caller's answer. When people now agree, returns what must be executed and then settled.

    Another answer of the same person replaces their first, which stays on record. Raises ``TooManyLabelsError``.
    """
    caller = require_caller(work.caller, Scope.CASES)
    row = _check_shown(work, label_queries.lock_question(work.session, question_id), question_id)
    refuse_too_many_labels(work, caller.name)
    _refuse_too_many(work, row.id, caller.name)
    label = LabelRow(
        id=new_id(work.now),
        question_id=row.id,
        labelled_by=caller.name,
        answer=body.answer.value,
        note=body.note.strip(),
        labelled_at=work.now,
    )
    work.session.add(label)
    by = "session" if caller.by_session else "token"
    activity.note(work.session, work.now, caller.account_id, "Answer a question", target=question_id, by=by)
    work.session.flush()
    verdicts = [VerdictBy.read(verdict) for verdict in row.verdicts]
    row.priority = bits_left(work, verdicts, label_queries.latest_answers(work.session, row.id).values())
    if row.state == SETTLED:
        _confirm_settled(work, row)
    return _agreement_of(work, row) if row.state == OPEN else None


def _confirm_settled(work: UnitOfWork, row: LabelQuestionRow) -> None:
    """A moderator's answer confirms the label on which people have agreed before."""
    case = case_queries.find_case(work.session, row.package_id, row.case_id) if row.case_id is not None else None
    if case is not None and case.case["label"] == row.agreed_label and case.state in SECONDABLE:
        confirm_by_labels(work, case, agreeing(work, row))


def _refuse_too_many(work: UnitOfWork, question_id: str, name: str) -> None:
    limits = work.services.settings.labels
    given = label_queries.count_answers(work.session, question_id)
    if given.get(name, 0) >= limits.answers_by_account:
        raise TooManyLabelsError(
            f"You have answered this question {given[name]} times, which is the most of one account. "
            "Your last answer counts."
        )
    if name not in given and len(given) >= limits.people:
        raise TooManyLabelsError(
            f"{len(given)} people have answered this question, which is the most: label another one."
        )


def _agreement_of(work: UnitOfWork, row: LabelQuestionRow) -> Settled | None:
    """The case that becomes of the question, where independent people agree."""
    owners = _behind(work, row)
    answers = label_queries.latest_answers(work.session, row.id)
    independent = {name: answer for name, answer in answers.items() if name not in owners}
    label = agreed_label(independent, work.services.settings.labels.agreeing)
    if label is None:
        return None
    row.state, row.agreed_label = SETTLED, label
    payload = {"question_id": row.id}
    work.queue(JobName.SETTLE_QUESTION, payload, unique_key=f"settle:{row.id}", delay_seconds=SETTLE_DELAY_SECONDS)
    return _settled(work, row, owners)


def _behind(work: UnitOfWork, row: LabelQuestionRow) -> set[str]:
    return catalog.people_behind(work, [row.package_id])[row.package_id]


def find_settled(work: UnitOfWork, question_id: str) -> Settled | None:
    """A settled question whose case was not made yet (its request was cut off); None where there is nothing to do."""
    row = label_queries.find_question(work.session, question_id)
    if row is None or row.state != SETTLED or row.case_id is not None:
        return None
    return _settled(work, row, _behind(work, row))


def _settled(work: UnitOfWork, row: LabelQuestionRow, owners: set[str]) -> Settled:
    label = row.agreed_label or Label.INCORRECT.value
    answers = label_queries.latest_answers(work.session, row.id)
    names = [name for name, answer in answers.items() if answer == label and name not in owners]
    said = [one.labelled_by for one in label_queries.labels_of(work.session, row.id) if one.answer == label]
    given = [name for name in dict.fromkeys(reversed(said)) if name in names][::-1]  # by when they said it last
    case = AuditCase.read({**row.case, "label": label, "note": notes_for(work, row, label)})
    target = execution.scoring_target(work, row.package_id, row.version)
    by = given[-1] if given else HUB  # they may have changed their minds since
    return Settled(row.id, PreparedCase(target, case), agreement_of(given), by)


def notes_for(work: UnitOfWork, row: LabelQuestionRow, label: str) -> str:
    """What those who gave a label and are shown noted, each with their name."""
    given = [one for one in label_queries.labels_of(work.session, row.id) if one.answer == label and one.note]
    return " · ".join(f"{one.note} ({one.labelled_by})" for one in given)[:2000]


def answer_question(
    services: Services, as_caller: Callable[[UnitOfWork], UnitOfWork], question_id: str, body: LabelRequest
) -> CounterExample | None:
    """Keep an answer and, where it settles the question, execute the case that becomes of it, at once.

    Returns that case, which the worker judges where the hub is busy. Executing stands between two transactions, as it
    may take seconds; so the route must be one that runs code. ``as_caller`` puts the caller into a unit of work.
    """
    with services.database.writing() as session:
        settled = give_label(as_caller(UnitOfWork(session, services)), question_id, body)
    if settled is None:
        return None
    executed = execute_case_soon(services, settled.prepared)
    with services.database.writing() as session:
        return settle_question(as_caller(UnitOfWork(session, services)), settled, executed)


def settle_question(work: UnitOfWork, settled: Settled, executed: ExecutedCase) -> CounterExample | None:
    """Make the case of an agreed question; None where somebody has submitted that response meanwhile."""
    row = _get_row(work, settled.question_id)
    if row.case_id is not None:
        return None
    try:
        case = keep_case(work, executed, settled.by, agreement=settled.agreement)
    except CaseExistsError:
        claim = claim_of(executed.prepared.case, executed.prepared.target.rewards)
        known = case_queries.standing_cases_about(work.session, row.package_id, row.case_key)
        existing = next((one for one in known if one.claim == claim), None)
        if existing is not None:
            row.case_id = existing.id
            count_by_labels(work, existing, agreeing(work, row))
        return None
    row.case_id = case.id
    kept = case_queries.find_case(work.session, row.package_id, case.id)
    assert kept is not None, "it was made above"
    count_by_labels(work, kept, agreeing(work, row))
    return case_of(kept)


def agreeing(work: UnitOfWork, row: LabelQuestionRow) -> list[str]:
    """Who gave the agreed answer and is shown, the package's owners left out."""
    answers = label_queries.latest_answers(work.session, row.id)
    owners = _behind(work, row)
    return [name for name, answer in answers.items() if answer == row.agreed_label and name not in owners]


def get_agreement(work: UnitOfWork, package_id: str) -> LabelAgreement:
    """How far people agree on a package's labels. *Cannot tell* does not count as a label."""
    package = catalog.get_package_row(work, package_id).id
    latest: dict[tuple[str, str], str] = {}
    for label in label_queries.labels_of_package(work.session, package):
        latest[label.question_id, label.labelled_by] = label.answer
    answers = [(unit, who, answer) for (unit, who), answer in latest.items() if answer != Answer.UNSURE]
    return measure_agreement(answers)


def count_open_questions(work: UnitOfWork, package_id: str | None = None) -> int:
    """Questions that wait for people."""
    return label_queries.count_open_questions(work.session, package_id, None)


def is_full_of_runs(work: UnitOfWork, owner: str) -> bool:
    """Whether no response of an account's further runs is asked about until some of its open questions are settled."""
    most = work.services.settings.labels.open_from_runs
    return label_queries.count_open_from_runs(work.session, owner) >= most


LEFT_OUT: Mapping[str, str] = MappingProxyType(
    {
        "of_package": "as many questions about one package as this hub allows were open",
        "from_runs": "as many questions from the runs of one account as this hub allows were open",
        "about_response": "as many questions about the same response as this hub allows were open",
        "about_response_by_owner": "as many questions about the same response, of one owner's packages, were open",
    }
)
"""Why the last search for disagreements left responses out of the queue, by the limit that was reached."""


def left_out_of_package(work: UnitOfWork, package_id: str) -> list[tuple[int, str]]:
    """How many responses the last search of a package left out, and why."""
    return _in_words(label_queries.left_out_of_package(work.session, package_id))


def left_out_of_run(work: UnitOfWork, run_id: str) -> list[tuple[int, str]]:
    """How many responses of a run the last searches of its packages left out, and why."""
    return _in_words(label_queries.left_out_of_run(work.session, run_id))


def _in_words(counts: Mapping[str, int]) -> list[tuple[int, str]]:
    return [(counts[name], words) for name, words in LEFT_OUT.items() if name in counts]


def _get_row(work: UnitOfWork, question_id: str) -> LabelQuestionRow:
    return _check_shown(work, label_queries.find_question(work.session, question_id), question_id)


def _check_shown(work: UnitOfWork, row: LabelQuestionRow | None, question_id: str) -> LabelQuestionRow:
    """``row``, where what moderators stop does not keep it from being shown by its id too."""
    if row is None or (not work.sees_hidden and label_queries.is_of_hidden_run(work.session, row.id)):
        raise QuestionNotFoundError(f"There is no question {question_id!r} on this hub.")
    catalog.get_package_row(work, row.package_id)
    return row


def _questions_of(work: UnitOfWork, rows: Sequence[LabelQuestionRow]) -> list[LabelQuestion]:
    labels = label_queries.labels_of_all(work.session, [row.id for row in rows])
    return [_as_seen(work, row, labels[row.id]) for row in rows]


def _question_of(work: UnitOfWork, row: LabelQuestionRow) -> LabelQuestion:
    return _questions_of(work, [row])[0]


def _as_seen(work: UnitOfWork, row: LabelQuestionRow, labels: Sequence[LabelRow]) -> LabelQuestion:
    """The question as the caller may see it: others' labels only after their own answer."""
    latest = {label.labelled_by: label.id for label in labels}
    name = work.caller.name if work.caller is not None else None
    mine = next((label.answer for label in reversed(labels) if label.labelled_by == name), None)
    given = [_given(label, counts=latest[label.labelled_by] == label.id) for label in labels]
    return LabelQuestion(
        id=row.id,
        package=row.package_id,
        version=row.version,
        task=row.case["task"] or {},
        response=row.case.get("response"),
        messages=row.case.get("messages"),
        run_id=row.run_id,
        rollout_id=row.rollout_id,
        step=row.step,
        verdicts=[VerdictBy.read(verdict) for verdict in row.verdicts],
        bits=row.bits,
        label_count=len(latest),
        state="settled" if row.state == SETTLED else "open",
        agreed_label=Label(row.agreed_label) if row.agreed_label and (mine or row.state == SETTLED) else None,
        case_id=row.case_id,
        created_at=row.created_at,
        my_answer=Answer(mine) if mine is not None else None,
        labels=given if mine is not None or row.state == SETTLED else None,
    )


def _given(label: LabelRow, *, counts: bool) -> GivenLabel:
    return GivenLabel(
        labelled_by=label.labelled_by,
        answer=Answer(label.answer),
        note=label.note,
        labelled_at=label.labelled_at,
        counts=counts,
    )

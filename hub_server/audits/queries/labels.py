"""Every SQL statement about labels and the questions they answer."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Select, and_, delete, func, or_, select
from sqlalchemy.orm import Session

from hub_server.accounts.models import AccountRow
from hub_server.accounts.queries.accounts import hidden_names
from hub_server.audits.models import (
    LabelQuestionRow,
    LabelRow,
    LeftOutRow,
)
from hub_server.catalog.models import PackageRow
from hub_server.database.many_values import one_of
from hub_server.database.visibility import EVERYTHING, seeing
from hub_server.runs.models import RunRow

_MOST_QUESTIONS = 500
"""About one page of cases; each holds the verdicts of a few verifiers."""
_HIDDEN_RUN = hidden_names().where(AccountRow.name == RunRow.owner, RunRow.id == LabelQuestionRow.run_id).exists()
_SHOWN = LabelRow.labelled_by.not_in(hidden_names())
"""What an account answered that is hidden counts for nothing meanwhile."""
Asked = TypeVar("Asked", bound=Select[Any])


def find_question(session: Session, question_id: str) -> LabelQuestionRow | None:
    """The question, or None."""
    return session.get(LabelQuestionRow, question_id)


def is_of_hidden_run(session: Session, question_id: str) -> bool:
    """Whether the question quotes a response of an account that is hidden."""
    return session.scalar(select(1).where(LabelQuestionRow.id == question_id, _HIDDEN_RUN)) is not None


def lock_question(session: Session, question_id: str) -> LabelQuestionRow | None:
    """The question, locked until the transaction ends: of two last labels at once, one settles it."""
    statement = select(LabelQuestionRow).where(LabelQuestionRow.id == question_id).with_for_update()
    return session.scalar(statement.execution_options(populate_existing=True))


def find_question_by_key(session: Session, package_id: str, key: str) -> LabelQuestionRow | None:
    """The package's question about that task and response, or None."""
    statement = select(LabelQuestionRow).where(
        LabelQuestionRow.package_id == package_id, LabelQuestionRow.case_key == key
    )
    return session.scalar(statement)


def has_questions(session: Session, package_id: str) -> bool:
    """Whether people were ever asked about a response to this package's tasks."""
    return (
        session.scalar(select(LabelQuestionRow.id).where(LabelQuestionRow.package_id == package_id).limit(1))
        is not None
    )


def shown_questions(session: Session, package_id: str, keys: Collection[str], run_id: str) -> list[LabelQuestionRow]:
    """A listed package's questions, open and settled: about these tasks and responses, and all of that run."""
    of_keys, parameters = one_of(session, LabelQuestionRow.case_key, keys)
    listed = select(1).where(PackageRow.id == LabelQuestionRow.package_id, PackageRow.is_listed).exists()
    statement = select(LabelQuestionRow).where(LabelQuestionRow.package_id == package_id, listed, ~_HIDDEN_RUN)
    statement = statement.where(or_(of_keys, LabelQuestionRow.run_id == run_id))
    return list(session.scalars(statement.order_by(LabelQuestionRow.id).limit(_MOST_QUESTIONS), parameters))


class AskedResponse(NamedTuple):
    """The verdicts with which people are asked about a response."""

    case_key: str
    verdicts: list[Any]


def questions_about(session: Session, keys: Collection[str]) -> list[AskedResponse]:
    """What was asked about these tasks and responses, of any package."""
    if not keys:
        return []
    wanted, parameters = one_of(session, LabelQuestionRow.case_key, keys)
    statement = select(LabelQuestionRow.case_key, LabelQuestionRow.verdicts).where(wanted)
    rows = session.execute(statement.order_by(LabelQuestionRow.id).limit(_MOST_QUESTIONS), parameters)
    return [AskedResponse(*row) for row in rows]


def first_question(
    session: Session, package_id: str | None, account: str | None, skip: list[str]
) -> LabelQuestionRow | None:
    """The open question with the highest priority that ``account`` has not answered, ``skip`` left out."""
    statement = _open_questions(select(LabelQuestionRow), package_id, account)
    if skip:
        statement = statement.where(LabelQuestionRow.id.not_in(skip))
    ordered = statement.order_by(LabelQuestionRow.priority.desc(), LabelQuestionRow.id)
    return session.scalars(ordered.limit(1)).one_or_none()


def count_open_questions(session: Session, package_id: str | None, account: str | None) -> int:
    """How many open questions there are that ``account`` has not answered."""
    return session.scalar(_open_questions(select(func.count(LabelQuestionRow.id)), package_id, account)) or 0


def _open_questions(statement: Asked, package_id: str | None, account: str | None) -> Asked:
    listed = select(1).where(PackageRow.id == LabelQuestionRow.package_id, PackageRow.is_listed).exists()
    statement = statement.where(LabelQuestionRow.state == "open", listed, ~_HIDDEN_RUN)
    if package_id is not None:
        statement = statement.where(LabelQuestionRow.package_id == package_id)
    if account is not None:
        answered = select(LabelRow.question_id).where(LabelRow.labelled_by == account)
        statement = statement.where(LabelQuestionRow.id.not_in(answered))
    return statement


class OpenCounts(NamedTuple):
    """How many open questions there are that limits count, whether or not their package is listed."""

    of_package: int
    from_runs: int
    about_response: int
    about_response_by_owner: int


def count_for_limits(session: Session, package_id: str, case_key: str, run_owner: str) -> OpenCounts:
    """What stands in the way of one more question. Private packages count too."""
    row = LabelQuestionRow
    counted = select(func.count(row.id)).where(row.state == "open")
    about = counted.where(row.case_key == case_key)
    owner = select(PackageRow.owner).where(PackageRow.id == package_id).scalar_subquery()
    packages = select(PackageRow.id).where(PackageRow.owner == owner)
    with seeing(session, EVERYTHING):
        return OpenCounts(
            count_open_of_package(session, package_id),
            count_open_from_runs(session, run_owner),
            session.scalar(about) or 0,
            session.scalar(about.where(row.package_id.in_(packages))) or 0,
        )


def count_open_from_runs(session: Session, owner: str) -> int:
    """How many open questions come from the runs of an account, also of packages and runs that only some see."""
    runs = select(RunRow.id).where(RunRow.owner == owner)
    counted = select(func.count(LabelQuestionRow.id)).where(LabelQuestionRow.state == "open")
    with seeing(session, EVERYTHING):
        return session.scalar(counted.where(LabelQuestionRow.run_id.in_(runs))) or 0


def count_open_of_package(session: Session, package_id: str) -> int:
    """How many questions about a package are open."""
    counted = select(func.count(LabelQuestionRow.id))
    open_ones = counted.where(LabelQuestionRow.package_id == package_id, LabelQuestionRow.state == "open")
    return session.scalar(open_ones) or 0


def count_answered_questions(session: Session, package_id: str | None, account: str) -> int:
    """How many questions ``account`` has answered, settled ones too."""
    statement = select(func.count(LabelRow.question_id.distinct())).where(LabelRow.labelled_by == account)
    if package_id is not None:
        statement = statement.join(LabelQuestionRow, LabelQuestionRow.id == LabelRow.question_id)
        statement = statement.where(LabelQuestionRow.package_id == package_id)
    return session.scalar(statement) or 0


def newest_settled_question(session: Session, package_id: str | None) -> LabelQuestionRow | None:
    """The question that was settled and made last, of a package that is listed; None where none was."""
    listed = select(1).where(PackageRow.id == LabelQuestionRow.package_id, PackageRow.is_listed).exists()
    statement = select(LabelQuestionRow).where(LabelQuestionRow.state == "settled", listed, ~_HIDDEN_RUN)
    if package_id is not None:
        statement = statement.where(LabelQuestionRow.package_id == package_id)
    newest = statement.order_by(LabelQuestionRow.created_at.desc(), LabelQuestionRow.id.desc())
    return session.scalars(newest.limit(1)).one_or_none()


def page_of_questions(
    session: Session, package_id: str | None, after: list[Any] | None, limit: int
) -> list[LabelQuestionRow]:
    """Open questions, the highest priority first."""
    statement = _open_questions(select(LabelQuestionRow), package_id, None)
    if after is not None:
        priority, last = after
        below = LabelQuestionRow.priority < priority
        statement = statement.where(or_(below, and_(LabelQuestionRow.priority == priority, LabelQuestionRow.id > last)))
    ordered = statement.order_by(LabelQuestionRow.priority.desc(), LabelQuestionRow.id)
    return list(session.scalars(ordered.limit(limit)))


def labels_of(session: Session, question_id: str) -> list[LabelRow]:
    """Every answer to a question, oldest first."""
    statement = select(LabelRow).where(LabelRow.question_id == question_id, _SHOWN)
    return list(session.scalars(statement.order_by(LabelRow.labelled_at, LabelRow.id)))


def labels_of_all(session: Session, question_ids: Collection[str]) -> dict[str, list[LabelRow]]:
    """By question: what :func:`labels_of` finds, in one statement."""
    statement = select(LabelRow).where(LabelRow.question_id.in_(question_ids), _SHOWN)
    found: dict[str, list[LabelRow]] = {one: [] for one in question_ids}
    for row in session.scalars(statement.order_by(LabelRow.labelled_at, LabelRow.id)):
        found[row.question_id].append(row)
    return found


def count_answers(session: Session, question_id: str) -> dict[str, int]:
    """How often each person has answered a question."""
    counted = select(LabelRow.labelled_by, func.count()).where(LabelRow.question_id == question_id, _SHOWN)
    return dict(session.execute(counted.group_by(LabelRow.labelled_by)).all())


def count_labels(session: Session, account: str, since: datetime) -> int:
    """How many answers an account has given since then, also about packages that only some see."""
    statement = select(func.count(LabelRow.id)).where(LabelRow.labelled_by == account, LabelRow.labelled_at > since)
    with seeing(session, EVERYTHING):
        return session.scalar(statement) or 0


def latest_answers(session: Session, question_id: str) -> dict[str, str]:
    """Who said what to a question; of several answers of one person the latest."""
    return {label.labelled_by: label.answer for label in labels_of(session, question_id)}


def labellers_of_case(session: Session, case_id: str) -> set[str]:
    """Who has given an answer to the question of which the case was made, hidden accounts included."""
    statement = select(LabelRow.labelled_by).join(LabelQuestionRow, LabelQuestionRow.id == LabelRow.question_id)
    return set(session.scalars(statement.where(LabelQuestionRow.case_id == case_id)))


def settled_with(session: Session, account: str, case_ids: Collection[str]) -> dict[str, LabelQuestionRow]:
    """Case -> the question that became it, of those whose answer an account has given too."""
    agreed = select(LabelRow.question_id).where(
        LabelRow.labelled_by == account,
        LabelRow.question_id == LabelQuestionRow.id,
        LabelRow.answer == LabelQuestionRow.agreed_label,
    )
    rows = session.scalars(select(LabelQuestionRow).where(LabelQuestionRow.case_id.in_(case_ids), agreed.exists()))
    return {row.case_id: row for row in rows if row.case_id is not None}


def labels_of_package(session: Session, package_id: str) -> list[LabelRow]:
    """Every answer to any question of a package, oldest first."""
    statement = select(LabelRow).join(LabelQuestionRow, LabelQuestionRow.id == LabelRow.question_id)
    statement = statement.where(LabelQuestionRow.package_id == package_id, _SHOWN)
    return list(session.scalars(statement.order_by(LabelRow.labelled_at, LabelRow.id)))


def replace_left_out(session: Session, package_id: str, counts: Mapping[tuple[str, str], int]) -> None:
    """Write how many responses a search left out, by (run, limit that was reached), in place of the last search's."""
    session.execute(delete(LeftOutRow).where(LeftOutRow.package_id == package_id))
    for (run_id, reached), count in counts.items():
        session.add(LeftOutRow(package_id=package_id, run_id=run_id, reached=reached, count=count))
    session.flush()


def left_out_of_package(session: Session, package_id: str) -> dict[str, int]:
    """Limit that was reached -> how many responses, of runs that the viewer sees."""
    statement = select(LeftOutRow.reached, func.sum(LeftOutRow.count)).join(RunRow, RunRow.id == LeftOutRow.run_id)
    seen = (LeftOutRow.package_id == package_id, RunRow.owner.not_in(hidden_names()))
    return {name: int(count) for name, count in session.execute(statement.where(*seen).group_by(LeftOutRow.reached))}


def left_out_of_run(session: Session, run_id: str) -> dict[str, int]:
    """Limit that was reached -> how many responses of a run, of all packages."""
    statement = select(LeftOutRow.reached, func.sum(LeftOutRow.count)).where(LeftOutRow.run_id == run_id)
    return {name: int(count) for name, count in session.execute(statement.group_by(LeftOutRow.reached))}

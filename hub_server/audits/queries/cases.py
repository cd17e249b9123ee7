"""Every SQL statement about counter-examples and who seconded them."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, exists, func, not_, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from hub_server.accounts.queries.accounts import hidden_names
from hub_server.audits.models import (
    CaseDisputeRow,
    CaseSecondRow,
    CounterExampleRow,
    LabelQuestionRow,
    LabelRow,
)
from hub_server.catalog.models import PackageRow
from hub_server.database.many_values import one_of
from hub_server.database.visibility import EVERYTHING, seeing


def find_case(session: Session, package_id: str, case_id: str) -> CounterExampleRow | None:
    """The package's counter-example, or None."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.id == case_id, CounterExampleRow.package_id == package_id
    )
    return session.scalar(statement)


class JudgedCase(NamedTuple):
    """How a case stands, without its content."""

    id: str
    package_id: str
    content_key: str
    claim: str
    state: str
    state_before_dispute: str
    against: str
    fixed_in: str | None


_JUDGED = ("reproduced", "disputed", "fixed", "agreed")
"""States of cases that say how their verifier judged them; a refuted one may have been withdrawn."""


def cases_about(
    session: Session, content_keys: Collection[str], claims: Collection[str], limit: int
) -> list[JudgedCase]:
    """Judged counter-examples with one of these claims about these tasks and responses, of any listed verifier.

    Oldest first, and ``limit`` of each task and response at most: a flood about one hides none about another.
    """
    if not content_keys:
        return []
    wanted, parameters = one_of(session, CounterExampleRow.content_key, content_keys)
    columns = [getattr(CounterExampleRow, name) for name in JudgedCase._fields]
    place = func.row_number().over(partition_by=CounterExampleRow.content_key, order_by=CounterExampleRow.id)
    found = (
        select(*columns, place.label("place"))
        .join(PackageRow, PackageRow.id == CounterExampleRow.package_id)
        .where(wanted, CounterExampleRow.state.in_(_JUDGED), CounterExampleRow.claim.in_(sorted(claims)), *_is_shown())
        .where(PackageRow.is_listed, PackageRow.kind != "suite")  # a suite has cases and gives no verdict
        .subquery()
    )
    statement = select(*(found.c[name] for name in JudgedCase._fields)).where(found.c.place <= limit)
    return [JudgedCase(*row) for row in session.execute(statement.order_by(found.c.id), parameters)]


def standing_cases_about(session: Session, package_id: str, content_key: str) -> list[CounterExampleRow]:
    """The package's counter-examples about that task and response that are not refuted, oldest first."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.package_id == package_id,
        CounterExampleRow.content_key == content_key,
        CounterExampleRow.state != "refuted",
    )
    return list(session.scalars(statement.order_by(CounterExampleRow.id)))


def refuted_case_of(
    session: Session, package_id: str, version: str, content_key: str, claim: str, account: str
) -> CounterExampleRow | None:
    """The account's counter-example with that claim about that task and response that this release refuted.

    Not one that was withdrawn or lapsed: that may be sent again.
    """
    statement = select(CounterExampleRow).where(
        CounterExampleRow.package_id == package_id,
        CounterExampleRow.content_key == content_key,
        CounterExampleRow.claim == claim,
        CounterExampleRow.against == version,
        CounterExampleRow.submitted_by == account,
        CounterExampleRow.state == "refuted",
    )
    return next((row for row in session.scalars(statement) if row.history[-1]["what"] == "submitted"), None)


def disputes_since_before(session: Session, moment: datetime) -> list[CounterExampleRow]:
    """Cases whose dispute began at ``moment`` or earlier and is open."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.disputed_at <= moment, CounterExampleRow.state == "disputed"
    )
    return list(session.scalars(statement.order_by(CounterExampleRow.id)))


def note_dispute(session: Session, case_id: str, account: str, now: datetime) -> None:
    """Write down that an account has disputed a case, and when it did so last."""
    row = session.get(CaseDisputeRow, (case_id, account))
    if row is None:
        session.add(CaseDisputeRow(case_id=case_id, account=account, disputed_at=now))
    else:
        row.disputed_at = now  # its label was turned round since


def count_words(session: Session, account: str, since: datetime) -> int:
    """How many cases an account has seconded or disputed since then, also of packages that only some see."""
    seconds = select(func.count(CaseSecondRow.case_id)).where(
        CaseSecondRow.account == account, CaseSecondRow.seconded_at > since
    )
    disputes = select(func.count(CaseDisputeRow.case_id)).where(
        CaseDisputeRow.account == account, CaseDisputeRow.disputed_at > since
    )
    with seeing(session, EVERYTHING):
        return (session.scalar(seconds) or 0) + (session.scalar(disputes) or 0)


def cases_touched_by(session: Session, account: str, after: str, limit: int) -> list[CounterExampleRow]:
    """Cases behind ``after`` that an account submitted, seconded, disputed or labelled, of packages that are seen."""
    spoken: list[Select[Any]] = [
        select(table.case_id).where(table.account == account) for table in (CaseSecondRow, CaseDisputeRow)
    ]
    answered = select(LabelRow.question_id).where(LabelRow.labelled_by == account)
    spoken.append(
        select(LabelQuestionRow.case_id).where(LabelQuestionRow.id.in_(answered), LabelQuestionRow.case_id.is_not(None))
    )
    row = CounterExampleRow
    touched = or_(row.submitted_by == account, *(row.id.in_(ids) for ids in spoken))
    return list(session.scalars(select(row).where(touched, row.id > after).order_by(row.id).limit(limit)))


def count_cases_by(session: Session, package_id: str, version: str, account: str) -> int:
    """How many counter-examples an account has submitted against one release."""
    statement = select(func.count(CounterExampleRow.id)).where(
        CounterExampleRow.package_id == package_id,
        CounterExampleRow.against == version,
        CounterExampleRow.submitted_by == account,
    )
    return session.scalar(statement) or 0


def _is_shown() -> tuple[ColumnElement[bool], ...]:
    """Neither hidden itself, nor with the account that submitted it."""
    return (CounterExampleRow.hidden_reason.is_(None), CounterExampleRow.submitted_by.not_in(hidden_names()))


def is_shown_case(case_id: InstrumentedAttribute[Any]) -> ColumnElement[bool]:
    """A condition: the counter-example with that id is shown."""
    return exists(select(1).where(CounterExampleRow.id == case_id, *_is_shown()))


def hidden_among(session: Session, case_ids: Collection[str]) -> set[str]:
    """Those of the counter-examples that are not shown."""
    if not case_ids:
        return set()
    statement = select(CounterExampleRow.id).where(CounterExampleRow.id.in_(case_ids))
    return set(session.scalars(statement.where(not_(and_(*_is_shown())))))


def of_listed_packages(session: Session, case_ids: Collection[str]) -> set[str]:
    """Those of the counter-examples whose package is listed."""
    if not case_ids:
        return set()
    statement = select(CounterExampleRow.id).join(PackageRow, PackageRow.id == CounterExampleRow.package_id)
    return set(session.scalars(statement.where(PackageRow.is_listed, CounterExampleRow.id.in_(case_ids))))


def notes_among(session: Session, case_ids: Collection[str]) -> dict[str, str]:
    """Counter-example -> the note that it has now."""
    if not case_ids:
        return {}
    note = CounterExampleRow.case["note"].as_string()
    rows = session.execute(select(CounterExampleRow.id, note).where(CounterExampleRow.id.in_(case_ids)))
    return {case_id: found or "" for case_id, found in rows}


def page_of_cases(
    session: Session, package_id: str, state: str | None, before: str | None, limit: int, *, with_hidden: bool = False
) -> list[CounterExampleRow]:
    """Counter-examples, newest first."""
    statement = select(CounterExampleRow).where(CounterExampleRow.package_id == package_id)
    if not with_hidden:
        statement = statement.where(*_is_shown())
    if state is not None:
        statement = statement.where(CounterExampleRow.state == state)
    if before is not None:
        statement = statement.where(CounterExampleRow.id < before)
    return list(session.scalars(statement.order_by(CounterExampleRow.id.desc()).limit(limit)))


def newest_cases(session: Session, count: int) -> list[CounterExampleRow]:
    """The newest counter-examples of all listed verifiers, hidden ones left out."""
    statement = select(CounterExampleRow).join(PackageRow, PackageRow.id == CounterExampleRow.package_id)
    statement = statement.where(PackageRow.is_listed, PackageRow.kind != "suite", *_is_shown())
    return list(session.scalars(statement.order_by(CounterExampleRow.id.desc()).limit(count)))


def cases_to_replay(session: Session, package_id: str) -> list[CounterExampleRow]:
    """Everything that a release's audit replays: all but what was refuted or hidden, in order of submission."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.package_id == package_id,
        CounterExampleRow.state != "refuted",
        *_is_shown(),
    )
    return list(session.scalars(statement.order_by(CounterExampleRow.id)))


def counted_cases(session: Session, package_id: str) -> list[CounterExampleRow]:
    """The package's shown cases that count, in order of submission."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.package_id == package_id,
        CounterExampleRow.counted_by != "",
        CounterExampleRow.state != "refuted",
        *_is_shown(),
    )
    return list(session.scalars(statement.order_by(CounterExampleRow.id)))


def cases_that_count_no_more(session: Session, package_id: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """Label and history of the package's cases that count for nothing, hidden ones too."""
    row = CounterExampleRow
    statement = select(row.case["label"].as_string(), row.history)
    found = session.execute(statement.where(row.package_id == package_id, row.counted_by == ""))
    return [(label, history or []) for label, history in found]


def count_cases(session: Session, package_id: str) -> dict[str, int]:
    """Counter-examples by state, hidden ones left out."""
    statement = select(CounterExampleRow.state, func.count()).where(
        CounterExampleRow.package_id == package_id, *_is_shown()
    )
    return dict(session.execute(statement.group_by(CounterExampleRow.state)).all())


def find_second(session: Session, case_id: str, account: str) -> CaseSecondRow | None:
    """The account's second to a case, or None."""
    return session.get(CaseSecondRow, (case_id, account))


def seconders_of(session: Session, case_id: str) -> list[str]:
    """Who seconded a case, in that order."""
    statement = select(CaseSecondRow.account).where(CaseSecondRow.case_id == case_id)
    return list(session.scalars(statement.order_by(CaseSecondRow.seconded_at, CaseSecondRow.account)))


def seconders_by_case(session: Session, case_ids: list[str], *, with_hidden: bool = True) -> dict[str, list[str]]:
    """Case -> who seconded it."""
    statement = select(CaseSecondRow).where(CaseSecondRow.case_id.in_(case_ids))
    if not with_hidden:
        statement = statement.where(CaseSecondRow.account.not_in(hidden_names()))
    found: dict[str, list[str]] = {}
    for row in session.scalars(statement.order_by(CaseSecondRow.seconded_at, CaseSecondRow.account)):
        found.setdefault(row.case_id, []).append(row.account)
    return found


class CaseOfAccount(NamedTuple):
    """What a case says of the standing of whoever submitted, labelled or seconded it."""

    id: str
    package_id: str
    against: str
    state: str
    submitted_by: str
    counted_by: str
    corroborated_by: str
    history: list[dict[str, Any]]


def ledger_of(session: Session, account: str) -> list[CaseOfAccount]:
    """Every case that an account submitted or seconded, or whose question it answered, hidden ones too."""
    seconded = select(CaseSecondRow.case_id).where(CaseSecondRow.account == account)
    answered = select(LabelRow.question_id).where(LabelRow.labelled_by == account)
    labelled = select(LabelQuestionRow.case_id).where(
        LabelQuestionRow.id.in_(answered), LabelQuestionRow.case_id.is_not(None)
    )
    row = CounterExampleRow
    spoken = or_(row.submitted_by == account, row.id.in_(seconded), row.id.in_(labelled))
    columns = [getattr(row, name) for name in CaseOfAccount._fields]
    return [CaseOfAccount(*found) for found in session.execute(select(*columns).where(spoken))]


def count_waiting_cases(session: Session, package_id: str, account: str) -> int:
    """How many of an account's cases against a package are reproduced and count for nothing yet."""
    statement = select(func.count(CounterExampleRow.id)).where(
        CounterExampleRow.package_id == package_id,
        CounterExampleRow.submitted_by == account,
        CounterExampleRow.counted_by == "",
        CounterExampleRow.state != "refuted",
    )
    return session.scalar(statement) or 0

"""Every SQL statement about audits, counter-examples, labels and comparisons."""

import contextlib
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, and_, delete, func, not_, null, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, load_only

from hub_server.accounts.models import AccountRow
from hub_server.accounts.queries import hidden_names
from hub_server.audits.models import (
    AuditRow,
    CaseSecondRow,
    ComparisonRow,
    CounterExampleRow,
    LabelQuestionRow,
    LabelRow,
    NeighbourRow,
    SourceMinhashRow,
    SuiteResultRow,
)
from hub_server.catalog.models import PackageRow, ReleaseRow

Asked = TypeVar("Asked", bound=Select[Any])


def find_audit(session: Session, audit_id: str) -> AuditRow | None:
    """The audit, or None."""
    return session.get(AuditRow, audit_id)


def find_newest_done(session: Session, release_id: str) -> AuditRow | None:
    """The release's newest finished audit, or None."""
    statement = select(AuditRow).where(AuditRow.release_id == release_id, AuditRow.state == "done")
    return session.scalar(statement.order_by(AuditRow.id.desc()).limit(1))


def find_live_audit(session: Session, release_id: str) -> AuditRow | None:
    """The release's audit that is queued or running, or None."""
    statement = select(AuditRow).where(AuditRow.release_id == release_id, AuditRow.state.in_(("queued", "running")))
    return session.scalar(statement.order_by(AuditRow.id.desc()).limit(1))


def page_of_audits(
    session: Session, package_id: str, release_id: str | None, before: str | None, limit: int
) -> list[AuditRow]:
    """Audits, newest first."""
    statement = select(AuditRow).where(AuditRow.package_id == package_id)
    if release_id is not None:
        statement = statement.where(AuditRow.release_id == release_id)
    if before is not None:
        statement = statement.where(AuditRow.id < before)
    return list(session.scalars(statement.order_by(AuditRow.id.desc()).limit(limit)))


def find_case(session: Session, package_id: str, case_id: str) -> CounterExampleRow | None:
    """The package's counter-example, or None."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.id == case_id, CounterExampleRow.package_id == package_id
    )
    return session.scalar(statement)


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


def hidden_among(session: Session, case_ids: Collection[str]) -> set[str]:
    """Those of the counter-examples that are not shown."""
    if not case_ids:
        return set()
    statement = select(CounterExampleRow.id).where(CounterExampleRow.id.in_(case_ids))
    return set(session.scalars(statement.where(not_(and_(*_is_shown())))))


def is_hidden_account(session: Session, name: str) -> bool:
    """Whether what this account submitted is not shown."""
    return session.scalar(hidden_names().where(AccountRow.name == name)) is not None


def counted_cases_by(session: Session, account: str) -> list[tuple[str, str]]:
    """(package, version) of releases in whose rates a shown case of this account counts."""
    statement = select(CounterExampleRow.package_id, CounterExampleRow.against).where(
        CounterExampleRow.submitted_by == account,
        CounterExampleRow.counted_by != "",
        CounterExampleRow.state != "refuted",
    )
    return [(package, version) for package, version in session.execute(statement.distinct())]


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
    """The newest counter-examples of all listed packages, hidden ones left out."""
    statement = select(CounterExampleRow).join(PackageRow, PackageRow.id == CounterExampleRow.package_id)
    statement = statement.where(PackageRow.is_listed, *_is_shown())
    return list(session.scalars(statement.order_by(CounterExampleRow.id.desc()).limit(count)))


def cases_to_replay(session: Session, package_id: str) -> list[CounterExampleRow]:
    """Everything that a release's audit replays: all but what was refuted or hidden, in order of submission."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.package_id == package_id,
        CounterExampleRow.state != "refuted",
        *_is_shown(),
    )
    return list(session.scalars(statement.order_by(CounterExampleRow.id)))


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


def seconders_by_case(session: Session, case_ids: list[str]) -> dict[str, list[str]]:
    """Case -> who seconded it."""
    statement = select(CaseSecondRow).where(CaseSecondRow.case_id.in_(case_ids))
    found: dict[str, list[str]] = {}
    for row in session.scalars(statement.order_by(CaseSecondRow.seconded_at, CaseSecondRow.account)):
        found.setdefault(row.case_id, []).append(row.account)
    return found


def cases_of_account(session: Session, account: str) -> list[CounterExampleRow]:
    """Every case that an account submitted or seconded, hidden ones too."""
    seconded = select(CaseSecondRow.case_id).where(CaseSecondRow.account == account)
    either = or_(CounterExampleRow.submitted_by == account, CounterExampleRow.id.in_(seconded))
    return list(session.scalars(select(CounterExampleRow).where(either)))


def count_waiting_cases(session: Session, package_id: str, account: str) -> int:
    """How many of an account's cases against a package are reproduced and count for nothing yet."""
    statement = select(func.count(CounterExampleRow.id)).where(
        CounterExampleRow.package_id == package_id,
        CounterExampleRow.submitted_by == account,
        CounterExampleRow.counted_by == "",
        CounterExampleRow.state != "refuted",
    )
    return session.scalar(statement) or 0


def open_cases(session: Session, package_id: str) -> list[CounterExampleRow]:
    """Ids of counter-examples that were not judged yet."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.package_id == package_id, CounterExampleRow.state == "open"
    )
    return list(session.scalars(statement.options(load_only(CounterExampleRow.id))))


def find_question(session: Session, question_id: str) -> LabelQuestionRow | None:
    """The question, or None."""
    return session.get(LabelQuestionRow, question_id)


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
    listed = select(PackageRow.id).where(PackageRow.is_listed)
    statement = statement.where(LabelQuestionRow.state == "open", LabelQuestionRow.package_id.in_(listed))
    if package_id is not None:
        statement = statement.where(LabelQuestionRow.package_id == package_id)
    if account is not None:
        answered = select(LabelRow.question_id).where(LabelRow.labelled_by == account)
        statement = statement.where(LabelQuestionRow.id.not_in(answered))
    return statement


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
    statement = select(LabelRow).where(LabelRow.question_id == question_id)
    return list(session.scalars(statement.order_by(LabelRow.labelled_at, LabelRow.id)))


def latest_answers(session: Session, question_id: str) -> dict[str, str]:
    """Who said what to a question; of several answers of one person the latest."""
    return {label.labelled_by: label.answer for label in labels_of(session, question_id)}


def labels_of_package(session: Session, package_id: str) -> list[LabelRow]:
    """Every answer to any question of a package, oldest first."""
    statement = select(LabelRow).join(LabelQuestionRow, LabelQuestionRow.id == LabelRow.question_id)
    statement = statement.where(LabelQuestionRow.package_id == package_id)
    return list(session.scalars(statement.order_by(LabelRow.labelled_at, LabelRow.id)))


def comparable_releases(session: Session, release_id: str, limit: int) -> list[ReleaseRow]:
    """Other packages' releases that judged the same cases, those that agree most first; duplicates count once."""
    statement = (
        select(ReleaseRow)
        .join(NeighbourRow, NeighbourRow.other_release_id == ReleaseRow.id)
        .where(NeighbourRow.release_id == release_id, NeighbourRow.judged > 0, NeighbourRow.behaves_alike.is_(False))
    )
    share = NeighbourRow.agreed * 1.0 / NeighbourRow.judged
    return list(session.scalars(statement.order_by(share.desc(), ReleaseRow.id).limit(limit)))


def find_comparison(session: Session, left_id: str, right_id: str) -> ComparisonRow | None:
    """The newest comparison of two releases, this way round, or None."""
    statement = select(ComparisonRow).where(
        ComparisonRow.left_release_id == left_id, ComparisonRow.right_release_id == right_id
    )
    return session.scalars(statement.order_by(ComparisonRow.id.desc()).limit(1)).one_or_none()


def get_comparison(session: Session, comparison_id: str) -> ComparisonRow | None:
    """The comparison, or None."""
    return session.get(ComparisonRow, comparison_id)


def newest_comparisons(session: Session, limit: int) -> list[ComparisonRow]:
    """Finished comparisons of listed packages, newest first."""
    listed = select(ReleaseRow.id).join(PackageRow, PackageRow.id == ReleaseRow.package_id)
    listed = listed.where(PackageRow.is_listed)
    statement = select(ComparisonRow).where(
        ComparisonRow.state == "done",
        ComparisonRow.left_release_id.in_(listed),
        ComparisonRow.right_release_id.in_(listed),
    )
    return list(session.scalars(statement.order_by(ComparisonRow.id.desc()).limit(limit)))


def shown_releases(session: Session) -> list[ReleaseRow]:
    """The release that each listed package shows."""
    statement = select(ReleaseRow).join(PackageRow, PackageRow.shown_release_id == ReleaseRow.id)
    return list(session.scalars(statement.where(PackageRow.is_listed).order_by(ReleaseRow.package_id)))


def measured_before(session: Session, before: datetime, limit: int) -> list[ReleaseRow]:
    """Shown releases whose newest finished audit ended before ``before`` and that wait for none, oldest audit first."""
    newest = (
        select(AuditRow.release_id, func.max(AuditRow.finished_at).label("at"))
        .where(AuditRow.state.in_(("done", "failed")))
        .group_by(AuditRow.release_id)
        .having(func.max(AuditRow.finished_at) < before)
        .subquery()
    )
    statement = select(ReleaseRow).join(PackageRow, PackageRow.shown_release_id == ReleaseRow.id)
    statement = statement.join(newest, newest.c.release_id == ReleaseRow.id)
    is_idle = ReleaseRow.audit_state.not_in(("queued", "running"))
    is_good = ReleaseRow.state.not_in(("quarantined", "yanked"))
    statement = statement.where(PackageRow.is_listed, is_idle, is_good).order_by(newest.c.at, ReleaseRow.id)
    return list(session.scalars(statement.limit(limit)))


def shown_suites(session: Session) -> list[ReleaseRow]:
    """The release that each listed suite shows, those left out that were yanked or quarantined."""
    statement = select(ReleaseRow).join(PackageRow, PackageRow.shown_release_id == ReleaseRow.id)
    is_good = ReleaseRow.state.not_in(("quarantined", "yanked"))
    suites = statement.where(PackageRow.is_listed, PackageRow.kind == "suite", is_good)
    return list(session.scalars(suites.order_by(ReleaseRow.package_id)))


def replace_suite_results(session: Session, release_id: str, rows: Iterable[SuiteResultRow]) -> None:
    """Keep what a release's newest audit measured on suites, in place of what an earlier one did."""
    session.execute(delete(SuiteResultRow).where(SuiteResultRow.release_id == release_id))
    session.add_all(rows)


def shown_results_on(session: Session, suite: str) -> list[tuple[ReleaseRow, dict[str, Any]]]:
    """(shown release, measurement) of every listed package that was measured on the suite."""
    statement = (
        select(ReleaseRow, SuiteResultRow.measurement)
        .join(PackageRow, PackageRow.shown_release_id == ReleaseRow.id)
        .join(SuiteResultRow, SuiteResultRow.release_id == ReleaseRow.id)
        .where(PackageRow.is_listed, SuiteResultRow.suite == suite)
        .options(load_only(ReleaseRow.package_id, ReleaseRow.version))
        .order_by(ReleaseRow.package_id)
    )
    return [(row[0], row[1]) for row in session.execute(statement)]


def wrong_on_suite(session: Session, suite: str, release_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Release -> the suite's cases that it gets wrong, with the kind of error."""
    statement = select(SuiteResultRow.release_id, SuiteResultRow.wrong)
    statement = statement.where(SuiteResultRow.suite == suite, SuiteResultRow.release_id.in_(release_ids))
    return {row[0]: row[1] for row in session.execute(statement)}


def find_minhash(session: Session, release_id: str) -> SourceMinhashRow | None:
    """The MinHash signature of a release's source, or None."""
    return session.get(SourceMinhashRow, release_id)


def add_minhash(session: Session, row: SourceMinhashRow) -> None:
    """Keep a signature. Of two workers that make the same one at once, one writes it."""
    with contextlib.suppress(IntegrityError), session.begin_nested():
        session.add(row)


def erase_measurements(session: Session, release_id: str, why: str) -> None:
    """Drop the reports, the comparisons on either side and the source's signature of a release."""
    gone = {"state": "failed", "error": why}
    session.execute(update(AuditRow).where(AuditRow.release_id == release_id).values(report=null(), **gone))
    sides = or_(ComparisonRow.left_release_id == release_id, ComparisonRow.right_release_id == release_id)
    session.execute(update(ComparisonRow).where(sides).values(result=null(), **gone))
    session.execute(delete(SourceMinhashRow).where(SourceMinhashRow.release_id == release_id))


def forget_neighbours(session: Session, release_id: str) -> None:
    """Drop a release's neighbours, seen from either side."""
    either = or_(NeighbourRow.release_id == release_id, NeighbourRow.other_release_id == release_id)
    session.execute(delete(NeighbourRow).where(either))


def neighbours_of(session: Session, release_id: str) -> list[tuple[NeighbourRow, ReleaseRow]]:
    """A release's neighbours with their releases; quarantined ones stay out."""
    statement = select(NeighbourRow, ReleaseRow).join(ReleaseRow, ReleaseRow.id == NeighbourRow.other_release_id)
    rows = session.execute(statement.where(NeighbourRow.release_id == release_id, ReleaseRow.state != "quarantined"))
    return [(row[0], row[1]) for row in rows]


def forget_measurements(session: Session, package_id: str, release_ids: Sequence[str]) -> None:
    """Delete what was measured of a package, and what people were asked about its rollouts."""
    questions = select(LabelQuestionRow.id).where(LabelQuestionRow.package_id == package_id)
    either = or_(NeighbourRow.release_id.in_(release_ids), NeighbourRow.other_release_id.in_(release_ids))
    for statement in (
        delete(LabelRow).where(LabelRow.question_id.in_(questions)),
        delete(LabelQuestionRow).where(LabelQuestionRow.package_id == package_id),
        delete(AuditRow).where(AuditRow.package_id == package_id),
        delete(SuiteResultRow).where(SuiteResultRow.release_id.in_(release_ids)),
        delete(NeighbourRow).where(either),
    ):
        session.execute(statement.execution_options(synchronize_session=False))

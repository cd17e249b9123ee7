"""SQL statements about offers, and about what others have built on a release."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session

from hub_server.accounts.models import DELETED, AccountRow
from hub_server.accounts.queries.accounts import hidden_names
from hub_server.audits.models import CounterExampleRow, SuiteResultRow
from hub_server.catalog.models import PackageRow, ReleaseNeedRow, ReleaseRow
from hub_server.database.activity import ActivityRow
from hub_server.database.base import Base
from hub_server.evaluations.models import BenchmarkResultsRow
from hub_server.ownership.models import TransferRow
from hub_server.ownership.rules import Uses
from hub_server.runs.models import RunPackageRow, RunRow

_MOST_OFFERS = 100


def newest_offers(session: Session, package_id: str, limit: int) -> list[TransferRow]:
    """A package's offers, newest first, as they are now: whoever asks again under a lock is told what has changed."""
    statement = select(TransferRow).where(TransferRow.package_id == package_id)
    statement = statement.order_by(TransferRow.id.desc()).limit(limit)
    return list(session.scalars(statement.execution_options(populate_existing=True)))


def open_offers_to(session: Session, owners: Collection[str], since: datetime) -> list[TransferRow]:
    """What was offered to these accounts and organisations since then and has no answer, newest first."""
    statement = select(TransferRow).where(
        TransferRow.to_owner.in_(sorted(owners)), TransferRow.state == "open", TransferRow.offered_at > since
    )
    return list(session.scalars(statement.order_by(TransferRow.id.desc()).limit(_MOST_OFFERS)))


def count_open_offers(session: Session, owner: str, since: datetime) -> int:
    """How many packages an owner has offered since then without an answer."""
    statement = select(func.count()).select_from(TransferRow)
    return (
        session.scalar(
            statement.where(
                TransferRow.from_owner == owner, TransferRow.state == "open", TransferRow.offered_at > since
            )
        )
        or 0
    )


def forget_open_offers(session: Session, package_id: str) -> None:
    """Take back what was offered of a package and has no answer."""
    session.execute(delete(TransferRow).where(TransferRow.package_id == package_id, TransferRow.state == "open"))


def private_needs_across(session: Session, package_id: str, owner: str) -> bool:
    """Whether a private package of another owner than ``owner`` refers to the package, or the package to one."""
    out = (
        select(PackageRow.id)
        .join(ReleaseNeedRow, ReleaseNeedRow.package_id == PackageRow.id)
        .join(ReleaseRow, ReleaseRow.id == ReleaseNeedRow.release_id)
        .where(ReleaseRow.package_id == package_id)
    )
    back = (
        select(PackageRow.id)
        .join(ReleaseRow, ReleaseRow.package_id == PackageRow.id)
        .join(ReleaseNeedRow, ReleaseNeedRow.release_id == ReleaseRow.id)
        .where(ReleaseNeedRow.package_id == package_id)
    )
    of_another = (PackageRow.is_private, PackageRow.owner != owner, PackageRow.id != package_id)
    return any(session.scalar(one.where(*of_another).limit(1)) is not None for one in (out, back))


def uses_of(session: Session, release: ReleaseRow, owners: Collection[str]) -> Uses:
    """What anybody but ``owners`` has built on a release, seen or not. Their own other packages count too.

    What is of an account that moderators have hidden does not: it would keep its victim's releases here for ever.
    """
    package_id, own = release.package_id, sorted(owners)
    hidden_packages = select(PackageRow.id).where(PackageRow.owner.in_(hidden_names()))
    needs = (
        select(func.count(func.distinct(ReleaseRow.package_id)))
        .join(ReleaseNeedRow, ReleaseNeedRow.release_id == ReleaseRow.id)
        .where(
            ReleaseNeedRow.package_id == package_id,
            ReleaseRow.package_id != package_id,
            ReleaseRow.package_id.not_in(hidden_packages),
            ReleaseRow.taken_down_reason.is_(None),
        )
    )
    cases = select(func.count()).select_from(CounterExampleRow)
    cases = cases.where(
        CounterExampleRow.package_id == package_id,
        CounterExampleRow.against == release.version,
        CounterExampleRow.submitted_by.not_in(own),
        CounterExampleRow.submitted_by.not_in(hidden_names()),
    )
    results = select(func.count()).select_from(BenchmarkResultsRow)
    results = results.where(
        BenchmarkResultsRow.release_id == release.id,
        BenchmarkResultsRow.submitted_by.not_in(own),
        BenchmarkResultsRow.submitted_by.not_in(hidden_names()),
    )
    audits = (
        select(func.count()).select_from(SuiteResultRow).join(ReleaseRow, ReleaseRow.id == SuiteResultRow.release_id)
    )
    audits = audits.where(SuiteResultRow.suite == package_id, ReleaseRow.package_id != package_id)
    return Uses(
        packages=session.scalar(needs) or 0,
        runs=_runs_of_others(session, release, own),
        cases=session.scalar(cases) or 0,
        results=session.scalar(results) or 0,
        audits=session.scalar(audits) or 0,
    )


def _runs_of_others(session: Session, release: ReleaseRow, own: list[str]) -> int:
    """Runs that pin this very release. A release is at most three days old here, so few runs can."""
    statement = select(RunRow.packages).join(RunPackageRow, RunPackageRow.run_id == RunRow.id)
    statement = statement.where(
        RunPackageRow.package_id == release.package_id,
        RunRow.owner.not_in(own),
        RunRow.owner.not_in(hidden_names()),
        RunRow.created_at >= release.published_at,
    )
    return sum(
        any(pin.get("package") == release.package_id and pin.get("version") == release.version for pin in pins)
        for pins in session.scalars(statement)
    )


def with_content(session: Session, package_ids: Collection[str]) -> list[str]:
    """Those of the packages that have a release whose bytes are there, in order."""
    there = (ReleaseRow.package_id.in_(sorted(package_ids)), ReleaseRow.taken_down_reason.is_(None))
    return list(session.scalars(select(ReleaseRow.package_id).where(*there).distinct().order_by(ReleaseRow.package_id)))


def erase_account(session: Session, account_id: str, name: str) -> None:
    """Forget all that is stored for an account alone, and what its row says of the person.

    Every table with a column ``account_id`` is one of those, but the log of changes: so a table that comes later is not
    forgotten. The row stays with its name, which nobody can take again, nor one that looks like it.
    """
    tables = Base.metadata.tables
    hooks, lists = tables["webhooks"], tables["collections"]
    sent, entries = tables["webhook_deliveries"], tables["collection_entries"]
    mine = select(hooks.c.id).where(hooks.c.owner == name)
    private = select(lists.c.id).where(lists.c.owner == name, lists.c.is_private)
    session.execute(delete(sent).where(sent.c.webhook_id.in_(mine)))
    session.execute(delete(hooks).where(hooks.c.owner == name))
    session.execute(delete(entries).where(entries.c.collection_id.in_(private)))
    session.execute(delete(lists).where(lists.c.owner == name, lists.c.is_private))
    for table in reversed(Base.metadata.sorted_tables):
        if "account_id" in table.c and table.name != ActivityRow.__tablename__:
            session.execute(delete(table).where(table.c.account_id == account_id))
    session.execute(delete(TransferRow).where(TransferRow.to_owner == name, TransferRow.state == "open"))
    row = session.get(AccountRow, account_id, populate_existing=True)
    assert row is not None
    row.kind = DELETED
    row.display_name = row.description = row.link = row.email = row.password_hash = ""
    row.email_confirmed_at = row.email_changed_at = None
    session.flush()


def erase_private_runs(session: Session, name: str) -> list[str]:
    """Forget the private runs of an account, as ``erase_runs`` does."""
    runs = Base.metadata.tables["runs"]
    return erase_runs(session, (runs.c.owner == name) & runs.c.is_private)


def erase_run(session: Session, run_id: str) -> list[str]:
    """Forget one run, as ``erase_runs`` does."""
    return erase_runs(session, Base.metadata.tables["runs"].c.id == run_id)


def erase_runs(session: Session, which: ColumnElement[bool]) -> list[str]:
    """Forget runs, and what was kept of them where only few see it.

    Those are questions that quote their rollouts and have no case yet, and results of private runs on private
    benchmarks: returned are the releases whose reports lack some now. Questions with a case and public results stay,
    without their link.
    """
    tables = Base.metadata.tables
    runs, questions, labels = tables["runs"], tables["label_questions"], tables["labels"]
    results, packages, events = tables["benchmark_results"], tables["packages"], tables["events"]
    mine = select(runs.c.id).where(which)
    asked = questions.c.run_id.in_(mine) & questions.c.case_id.is_(None)
    hidden = select(packages.c.id).where(packages.c.is_private)
    lost = results.c.run_id.in_(mine.where(runs.c.is_private)) & results.c.benchmark.in_(hidden)
    lacking = list(session.scalars(select(results.c.release_id).where(lost).distinct()))
    for statement in (
        delete(labels).where(labels.c.question_id.in_(select(questions.c.id).where(asked))),
        delete(questions).where(asked),
        update(questions).where(questions.c.run_id.in_(mine)).values(run_id=None, rollout_id=None, step=None),
        delete(results).where(lost),
        update(results).where(results.c.run_id.in_(mine)).values(run_id=None),
        # Whoever follows events goes by their numbers and their count, so that they happened stays.
        update(events).where(events.c.run_id.in_(mine)).values(run_id=None),
        *(
            delete(tables[of]).where(tables[of].c.run_id.in_(mine))
            for of in ("run_packages", "metric_points", "rollouts", "left_out_responses")
        ),
        delete(runs).where(which),
    ):
        session.execute(statement)
    return lacking

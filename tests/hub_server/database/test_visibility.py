"""Private rows are as if they were not there, in whatever shape a query is written."""

import gc
import weakref

import pytest
from sqlalchemy import bindparam, exists, func, select
from sqlalchemy.orm import Session, aliased

from hub_server.audits.models import AuditRow, CaseSecondRow, NeighbourRow
from hub_server.catalog.models import PackageFacetRow, PackageRow, ReleaseFileRow, ReleaseRow
from hub_server.catalog.queries.packages import find_package
from hub_server.database import visibility
from hub_server.database.base import Base
from hub_server.database.engine import Database
from hub_server.database.visibility import (
    EVERYBODY,
    EVERYTHING,
    Viewer,
    leads_to_private,
    private_owners,
    see_as,
    seeing,
    viewer_of,
)
from hub_server.runs.models import MetricPointRow, RunRow
from tests.fakes.clock import FakeClock
from tests.making.action_driver import ActionDriver
from tests.making.counted_calls import count_calls

ACME = Viewer(frozenset({"acme", "alice"}))
PEOPLE_AND_UPKEEP = {
    "accounts", "activity", "author_keys", "blocked_names", "device_logins", "event_followers", "followed_journal", "former_members", "idempotency_keys", "invitations", "jobs",
    "journal_entries", "journal_nodes", "mailed_secrets", "memberships", "mirrored_packages", "package_changes", "rate_buckets", "read_only", "recovery_codes", "trusted_publishers", "used_identities",
    "second_factors", "security_keys", "signing_keys", "tokens", "upload_days", "upload_parts", "watchers", "watches",
    "web_sessions", "webhook_deliveries", "webhooks",
}  # fmt: skip
"""Tables that hold nothing of a package or a run, or none that is private (changes, journal)."""


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    """A public package of alice's, and a private one of her organisation."""
    alice = driver.person("alice", organizations=frozenset({"acme"}), maintained=frozenset({"acme"}))
    driver.organization("acme", alice="owner")
    driver.publish(alice, "alice/open")
    driver.publish(alice, "acme/hush")
    driver.run_jobs()
    with driver.writing() as work:
        see_as(work.session, EVERYTHING)
        package = work.session.get(PackageRow, "acme/hush")
        assert package is not None
        package.is_private = True
    return driver


def names(session: Session) -> dict[str, list[str]]:
    """What each shape of query finds of the private package."""
    other, release = aliased(PackageRow), aliased(ReleaseRow)
    inner = select(PackageRow.id).where(PackageRow.owner == "acme").subquery()
    shapes = {
        "entity": select(PackageRow.id),
        "whole": select(func.min(PackageRow.id)).where(PackageRow.owner == "acme"),
        "alias": select(other.id),
        "alias of a child": select(release.package_id),
        "two of one": select(release.package_id).join(ReleaseRow, ReleaseRow.id == release.id),
        "subquery": select(inner.c.id),
        "cte": select(select(PackageRow.id).cte().c.id),
        "in": select(ReleaseRow.package_id).where(ReleaseRow.package_id.in_(select(PackageRow.id))),
        "join": select(PackageRow.id).join(ReleaseRow, PackageRow.shown_release_id == ReleaseRow.id),
        "child": select(ReleaseRow.package_id),
        "grandchild": select(ReleaseRow.package_id).where(
            ReleaseRow.id.in_(select(ReleaseFileRow.release_id).where(ReleaseFileRow.path.contains("acme")))
        ),
        "facet": select(PackageFacetRow.package_id),
        "audit": select(AuditRow.package_id),
        "union": select(PackageRow.id).where(PackageRow.owner == "alice").union(
            select(PackageRow.id).where(PackageRow.owner == "acme")
        ),
        "scalar": select(select(PackageRow.id).where(PackageRow.owner == "acme").scalar_subquery()),
        "exists": select(PackageRow.owner).where(exists().where(PackageRow.owner == "acme")),
    }  # fmt: skip
    found = {shape: [str(one) for one in session.scalars(statement) if one] for shape, statement in shapes.items()}
    got = session.get(PackageRow, "acme/hush")
    return found | {"get": [got.id] if got is not None else []}


def test_no_shape_of_query_finds_what_is_private_to_others(hub: ActionDriver) -> None:
    for viewer in (EVERYBODY, Viewer(frozenset({"mallory"}))):
        with hub.services.database.reading(sees=viewer) as session:
            found = names(session)
        leaks = {shape: rows for shape, rows in found.items() if any("acme" in row or "hush" in row for row in rows)}
        assert leaks == {}
        assert found["exists"] == []
        assert found["entity"] == ["alice/open"]


def test_its_owners_members_and_the_operator_find_it_in_every_shape(hub: ActionDriver) -> None:
    for viewer in (ACME, EVERYTHING):
        with hub.services.database.reading(sees=viewer) as session:
            found = names(session)
        missing = [
            shape for shape, rows in found.items() if not any("acme" in row or shape == "exists" for row in rows)
        ]
        assert missing == []


def test_whoever_says_nothing_sees_what_everybody_sees(hub: ActionDriver) -> None:
    with hub.services.database.reading() as session:
        assert viewer_of(session) == EVERYBODY
        assert session.get(PackageRow, "acme/hush") is None
        with seeing(session, ACME):
            assert session.get(PackageRow, "acme/hush") is not None
        assert viewer_of(session) == EVERYBODY


def test_a_row_in_memory_from_another_viewer_is_not_found_either(hub: ActionDriver) -> None:
    """A session asks the database for a row by its key once, and the row is still there when the viewer is another."""
    with hub.services.database.reading() as session:
        for viewer, is_seen in (
            (EVERYTHING, True),
            (EVERYBODY, False),
            (ACME, True),
            (Viewer(frozenset({"bob"})), False),
            (Viewer(frozenset({"acme"}), only_package="acme/other"), False),
            (Viewer(frozenset({"acme"}), only_package="acme/hush"), True),
        ):
            with seeing(session, viewer):
                assert (find_package(session, "acme/hush") is not None) == is_seen
                assert (session.get(PackageRow, "acme/hush") is not None) == is_seen
                assert session.get(PackageRow, "alice/open") is not None


def test_every_table_is_either_covered_or_known_to_hold_nothing_private() -> None:
    """A new table must refer to packages, releases or runs by a foreign key, or stand in the list above."""
    covered = {name for name, table in Base.metadata.tables.items() if leads_to_private(table)}
    assert sorted(set(Base.metadata.tables) - covered) == sorted(PEOPLE_AND_UPKEEP)
    for row in (ReleaseRow, NeighbourRow, CaseSecondRow, MetricPointRow, RunRow):
        assert row.__tablename__ in covered


def test_a_row_that_refers_to_two_packages_needs_both(hub: ActionDriver) -> None:
    """The two have the same verdicts, so each was found to be the other's neighbour while both were public."""
    for viewer, count in ((EVERYBODY, 0), (ACME, 2)):
        with hub.services.database.reading(sees=viewer) as session:
            assert session.scalar(select(func.count()).select_from(NeighbourRow)) == count


def test_a_job_sees_what_is_private_to_the_owner_of_the_package_that_it_is_about(hub: ActionDriver) -> None:
    with hub.services.database.reading(sees=EVERYTHING) as session:
        release = session.scalar(select(ReleaseRow.id).where(ReleaseRow.package_id == "acme/hush"))
        assert private_owners(session, {"release_id": release, "count": 3}) == {"acme"}
        assert private_owners(session, {"package": "acme/hush"}) == {"acme"}
        assert private_owners(session, {"package": "alice/open"}) == frozenset()


def test_it_holds_on_both_databases(database: Database, clock: FakeClock) -> None:
    now = clock.now()
    with database.writing() as session:
        for owner in ("acme", "bob"):
            session.add(
                RunRow(
                    id=owner, name="r", owner=owner, is_private=True, kind="training", state="running", model="", recipe="",
                    packages=[], rewards={}, config={}, summary={}, created_at=now, updated_at=now,
                )
            )  # fmt: skip
        session.flush()
        session.add(MetricPointRow(run_id="bob", step=1, metrics={}))
    for viewer, ids in ((EVERYBODY, []), (Viewer(frozenset({"bob"})), ["bob"]), (EVERYTHING, ["acme", "bob"])):
        with database.reading(sees=viewer) as session:
            assert list(session.scalars(select(RunRow.id).order_by(RunRow.id))) == ids
            points = session.scalars(select(MetricPointRow.run_id)).all()
            assert points == [one for one in ids if one == "bob"]


@pytest.mark.parametrize("viewer", [EVERYBODY, ACME])
def test_a_statement_that_is_made_once_shows_each_viewer_what_that_viewer_sees(
    hub: ActionDriver, viewer: Viewer
) -> None:
    statement = select(PackageRow.id).where(PackageRow.id == bindparam("wanted"))
    for one in (EVERYTHING, viewer, EVERYBODY, ACME, EVERYBODY):
        with hub.services.database.reading(sees=one) as session:
            found = session.scalar(statement, {"wanted": "acme/hush"})
            assert (found is None) == (one == EVERYBODY)
            assert session.scalar(statement, {"wanted": "alice/open"}) == "alice/open"


def test_the_publics_conditions_of_a_statement_are_made_once_and_go_with_it(hub: ActionDriver) -> None:
    """To look through it cost as much CPU as to send it: a third of a package's page."""
    statement = select(PackageRow.id)
    with hub.services.database.reading() as session:
        assert list(session.scalars(statement)) == ["alice/open"]
        with count_calls(visibility, "_seen_by") as looks:
            assert list(session.scalars(statement)) == ["alice/open"]
            assert looks == [0]
            derived = statement.where(PackageRow.owner == "alice")
            assert list(session.scalars(derived)) == ["alice/open"]
            assert looks == [1], "one that is derived from it is another one"
    kept = weakref.ref(statement)
    del statement
    gc.collect()
    assert kept() is None

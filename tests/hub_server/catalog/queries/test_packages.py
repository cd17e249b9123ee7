"""Packages and releases: their order, and what a lock does."""

from datetime import timedelta

import pytest

from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.rules.versions import version_key
from hub_server.kernel.services import Services
from tests.hub_server.catalog.test_models import package, release
from tests.making.action_driver import ActionDriver


def test_releases_order_by_version(hub: ActionDriver) -> None:
    with hub.reading() as work:
        assert [row.version for row in package_queries.releases_of(work.session, "al/a")] == [
            "1.10.0",
            "1.10.0rc1",
            "1.9.0",
        ]
        page = package_queries.page_of_releases(work.session, "al/a", version_key("1.10.0"), 1)
        assert [row.version for row in page] == ["1.10.0rc1"]
        assert package_queries.find_release_by_key(work.session, "al/a", version_key("1.9")) is not None
        assert package_queries.find_release_by_key(work.session, "al/b", version_key("1.9")) is None
        assert list(package_queries.releases_by_ids(work.session, ["1.9.0", "none"])) == ["1.9.0"]
        assert package_queries.releases_by_ids(work.session, []) == {}


def test_of_two_who_make_a_package_at_once_one_does_and_the_other_goes_on(hub: ActionDriver) -> None:
    with hub.writing() as work:
        assert package_queries.add_package_if_absent(work.session, package(hub, "al/new"))
    with hub.writing() as work:
        work.session.add(release(hub, "2.0.0", package_id="al/a"))
        assert not package_queries.add_package_if_absent(work.session, package(hub, "al/new"))
    assert hub.rows("SELECT version FROM releases WHERE version = '2.0.0'") == [("2.0.0",)], "the rest is not undone"


def test_a_locked_package_is_read_anew(hub: ActionDriver) -> None:
    with hub.writing() as work:
        stale = package_queries.find_package(work.session, "al/a")
        assert stale is not None
        work.session.connection().exec_driver_sql("UPDATE packages SET fixed_case_count = 7 WHERE id = 'al/a'")
        locked = package_queries.lock_package(work.session, "al/a")
        assert locked is stale
        assert locked.fixed_case_count == 7


def test_every_package_has_its_id_in_the_list(hub: ActionDriver) -> None:
    with hub.reading() as work:
        assert package_queries.list_package_ids(work.session) == ["al/a", "al/b"]


def test_pinned_releases_are_those_and_no_other_of_the_same_packages_and_versions(services: Services) -> None:
    with services.database.writing() as session:
        for name in ("al/a", "al/b"):
            session.add(package(services, name))
            session.flush()
            for version in ("1.9.0", "1.10.0"):
                session.add(release(services, version, package_id=name, id=f"{name} {version}"))
    new, old = version_key("1.10.0"), version_key("1.9.0")
    pins = [("al/a", new), ("al/b", old), ("al/b", old), ("al/none", old), ("", "")]
    many = [(f"al/{number}", old) for number in range(1200)]  # 2,408 values in one statement
    with services.database.reading() as session:
        for asked in (pins, [*pins, *many]):
            rows = package_queries.releases_by_pins(session, asked)
            assert sorted(row.id for row in rows) == ["al/a 1.10.0", "al/b 1.9.0"]
        assert package_queries.releases_by_pins(session, []) == []


def test_barred_releases_are_those_in_quarantine_or_taken_down(hub: ActionDriver) -> None:
    with hub.writing() as work:
        for version, column in (("1.9.0", "quarantined_reason"), ("1.10.0", "taken_down_reason")):
            row = package_queries.find_release_by_key(work.session, "al/a", version_key(version))
            assert row is not None
            setattr(row, column, "why")
    with hub.reading() as work:
        found = package_queries.barred_releases(work.session, ["al/a", "al/none"])
        assert found == {("al/a", "1.9.0"), ("al/a", "1.10.0")}
        assert package_queries.barred_releases(work.session, ["al/b"]) == set()
        assert package_queries.barred_releases(work.session, []) == set()


@pytest.fixture
def zeds(driver: ActionDriver) -> ActionDriver:
    """The packages of zed: of one the newest is in quarantine, another was made public late, a third has no release."""
    ages = {"a": (9, 1), "b": (8, 2, 0), "c": (7,), "d": (6, 5, 4, 3), "e": (30,), "none": ()}
    with driver.writing() as work:
        for name, days in ages.items():
            work.session.add(package(driver, f"zed/{name}"))
            work.session.flush()
            for number, age in enumerate(days):
                row = release(driver, f"{number}.0", package_id=f"zed/{name}", id=f"{name}{number}")
                row.published_at = driver.clock.now() - timedelta(days=age)
                row.public_since = row.published_at + timedelta(days=29, hours=1) if name == "e" else None
                row.state = "quarantined" if age == 0 else "active"
                work.session.add(row)
    return driver


def test_the_newest_releases_of_an_owner_are_those_of_all_its_packages(zeds: ActionDriver) -> None:
    newest = ["e0", "a1", "b1", "d3", "d2", "d1", "d0", "c0", "b0", "a0"]
    with zeds.reading() as work:
        for limit in range(1, 12):
            rows = package_queries.newest_releases(work.session, None, "zed", limit)
            assert [row.id for row in rows] == newest[:limit]
        assert package_queries.newest_releases(work.session, None, "al", 5) == []


def test_the_newest_of_each_package_of_an_owner_is_found_by_an_index(zeds: ActionDriver) -> None:
    """All releases of an owner of 900 packages were sorted: 27 ms of CPU."""
    if not zeds.services.database.is_sqlite:
        pytest.skip("PostgreSQL plans by how many rows there are")
    statement = package_queries._freshest_packages("zed", 40).compile(compile_kwargs={"literal_binds": True})
    assert "ix_releases_package_id_seen_since_state" in zeds.plan_of(str(statement))

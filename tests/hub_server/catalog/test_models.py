"""What the catalogue's tables refuse, fill in, and find without looking at every row."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.catalog.models import DownloadDayRow, PackageFacetRow, PackageRow, ReleaseFileRow, ReleaseRow
from hub_server.catalog.rules.facets import UNMEASURED_BOUND
from hub_server.catalog.rules.versions import version_key
from tests.making.action_driver import ActionDriver

PACKAGE = "alice/small-sums"


def package(driver: ActionDriver, identifier: str = PACKAGE) -> PackageRow:
    now = driver.clock.now()
    owner = identifier.partition("/")[0]
    return PackageRow(id=identifier, owner=owner, kind="verifier", created_at=now, created_by=owner, updated_at=now)


def release(driver: ActionDriver, version: str = "1.0.0", **more) -> ReleaseRow:
    fields = {
        "id": f"r-{version}", "package_id": PACKAGE, "version": version, "version_key": version_key(version),
        "is_prerelease": False, "digest": f"sha256:{version}", "size_bytes": 1, "state": "active",
        "published_by": "alice", "dependencies": [], "manifest": {}, "task_counts": {},
    }  # fmt: skip
    return ReleaseRow(published_at=driver.clock.now(), **{**fields, **more})


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    with driver.writing() as work:
        work.session.add(package(driver))
    return driver


def refused(driver: ActionDriver, *rows: object) -> None:
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add_all(rows)


def test_a_version_is_one_release_however_it_is_written(hub: ActionDriver) -> None:
    with hub.writing() as work:
        work.session.add(release(hub, "1.0"))
    refused(hub, release(hub, "1.0.0"))
    with hub.writing() as work:
        work.session.add(release(hub, "1.0.post1"))


def test_two_packages_may_have_the_same_version(hub: ActionDriver) -> None:
    with hub.writing() as work:
        work.session.add(package(hub, "bob/sums"))
        work.session.flush()
        work.session.add_all([release(hub), release(hub, package_id="bob/sums", id="r2")])


def test_nothing_belongs_to_a_package_or_release_that_does_not_exist(hub: ActionDriver) -> None:
    refused(hub, release(hub, package_id="alice/none"))
    refused(hub, PackageFacetRow(package_id="alice/none", facet="tag", value="x"))
    refused(hub, DownloadDayRow(package_id="alice/none", day="2026-11-21", downloads=1))
    refused(hub, ReleaseFileRow(release_id="none", path="x", size=1, sha256="0"))


def test_a_tag_a_day_and_a_file_are_there_once(hub: ActionDriver) -> None:
    with hub.writing() as work:
        work.session.add(release(hub))
    for make in (
        lambda: PackageFacetRow(package_id=PACKAGE, facet="tag", value="x"),
        lambda: DownloadDayRow(package_id=PACKAGE, day="2026-11-21", downloads=1),
        lambda: ReleaseFileRow(release_id="r-1.0.0", path="a.py", size=1, sha256="0"),
    ):
        with hub.writing() as work:
            work.session.add(make())
        refused(hub, make())


def test_a_fresh_package_is_listed_unmeasured_and_without_a_latest(hub: ActionDriver) -> None:
    columns = "is_listed, grade, error_bound, latest_version, downloads, fixed_case_count"
    assert hub.rows(f"SELECT {columns} FROM packages") == [(1, "U", UNMEASURED_BOUND, None, 0, 0)]


def test_a_fresh_release_has_no_fact_against_it_and_was_not_measured(hub: ActionDriver) -> None:
    with hub.writing() as work:
        work.session.add(release(hub))
    columns = "yanked_reason, deprecated_reason, quarantined_reason, blocked, audit_state, replayed_count"
    assert hub.rows(f"SELECT {columns} FROM releases") == [(None, None, None, "", "none", 0)]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM releases WHERE package_id = 'x' ORDER BY version_key DESC",
        "SELECT * FROM releases WHERE digest = 'x'",
        "SELECT count(*) FROM releases WHERE published_by = 'x' AND published_at > 0",
        "SELECT * FROM packages WHERE owner = 'x'",
        "SELECT * FROM package_facets WHERE facet = 'tag' AND value = 'x'",
        "SELECT * FROM release_files WHERE release_id = 'x' ORDER BY path",
        "SELECT * FROM download_days WHERE package_id = 'x' AND day >= 'y'",
    ],
)
def test_what_pages_ask_is_found_by_an_index_and_comes_in_its_order(driver: ActionDriver, statement: str) -> None:
    plan = driver.plan_of(statement)
    assert "SEARCH" in plan
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan


def test_the_freshest_packages_are_read_in_the_order_of_an_index(driver: ActionDriver) -> None:
    plan = driver.plan_of("SELECT * FROM packages ORDER BY updated_at DESC, id LIMIT 20")
    assert "ix_packages_updated_at_id" in plan
    assert "TEMP B-TREE" not in plan

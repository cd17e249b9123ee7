"""Statements about benchmarks: whose results, in which order, and relations from both sides."""

from datetime import timedelta

import pytest

from hub_server.evaluations import queries
from hub_server.evaluations.models import BenchmarkRelationRow, BenchmarkReportRow
from tests.hub_server.evaluations.ladders import ALICE, BENCH, benchmark
from tests.hub_server.evaluations.test_models import row
from tests.making.action_driver import ActionDriver


@pytest.fixture
def filled(bench: ActionDriver) -> ActionDriver:
    with bench.writing() as work:
        work.session.add_all([row(bench), row(bench, id="r2", model="n"), row(bench, id="r3", submitted_by="carol")])
    return bench


def release_of(driver: ActionDriver, package: str = BENCH) -> str:
    ((found,),) = driver.rows("SELECT id FROM releases WHERE package_id = :p", p=package)
    return found


def test_results_are_found_by_their_whole_place(filled: ActionDriver) -> None:
    release = release_of(filled)
    with filled.writing() as work:
        found = queries.find_results(work.session, release, "al/e", "m", "h", "bob")
        assert found is not None
        assert found.id == "r1"
        for place in (
            ("al/f", "m", "h", "bob"),
            ("al/e", "M", "h", "bob"),
            ("al/e", "m", "", "bob"),
            ("al/e", "m", "h", "dan"),
        ):
            assert queries.find_results(work.session, release, *place) is None


def test_order_and_pages(filled: ActionDriver) -> None:
    release = release_of(filled)
    with filled.reading() as work:
        assert [one.id for one in queries.results_of(work.session, release)] == ["r1", "r2", "r3"]
        assert [one.id for one in queries.page_of_results(work.session, release, None, 2)] == ["r3", "r2"]
        assert [one.id for one in queries.page_of_results(work.session, release, "r2", 2)] == ["r1"]
        assert queries.results_of(work.session, "none") == []


def test_the_newest_moment_is_of_that_release_and_in_utc(filled: ActionDriver) -> None:
    moment = filled.clock.now() + timedelta(hours=5)
    with filled.writing() as work:
        late = row(filled, id="r0", model="late")
        late.submitted_at = moment
        work.session.add(late)
    with filled.reading() as work:
        assert queries.newest_results(work.session, release_of(filled)) == moment
        assert queries.newest_results(work.session, "none") is None


def test_reports_of_others_leave_out_ones_own(filled: ActionDriver) -> None:
    filled.publish(ALICE, "alice/again", manifest=benchmark("alice/again"))
    own, other = release_of(filled), release_of(filled, "alice/again")
    now = filled.clock.now()
    with filled.writing() as work:
        work.session.add_all([BenchmarkReportRow(release_id=one, computed_at=now, report={}) for one in (own, other)])
    with filled.reading() as work:
        assert [one.release_id for one in queries.other_reports(work.session, own)] == [other]
        assert queries.find_report(work.session, "none") is None


def test_a_relation_is_found_from_both_sides_and_by_its_order(filled: ActionDriver) -> None:
    filled.publish(ALICE, "alice/again", manifest=benchmark("alice/again"))
    first, second = sorted((release_of(filled), release_of(filled, "alice/again")))
    relation = BenchmarkRelationRow(
        first_release_id=first, second_release_id=second, computed_at=filled.clock.now(), relation={}
    )
    with filled.writing() as work:
        work.session.add(relation)
    with filled.reading() as work:
        assert queries.find_relation(work.session, first, second) is not None
        assert queries.find_relation(work.session, second, first) is None
        assert (
            len(queries.relations_of(work.session, [first])) == len(queries.relations_of(work.session, [second])) == 1
        )
        assert queries.relations_of(work.session, ["none"]) == []

"""Marks of packages: none is lost, and the one that waited longest comes first."""

from datetime import timedelta

from hub_server.mirror import queries
from tests.making.action_driver import ActionDriver


def test_news_move_a_package_to_the_front_and_unknown_names_come_in_only_with_the_journal(driver: ActionDriver) -> None:
    now = driver.clock.now()
    with driver.writing() as work:
        session = work.session
        queries.mark(session, {"alice/a", "alice/b"}, now, adds=True)
        queries.mark(session, {"eve/secret"}, now, adds=False)
        assert queries.find(session, "eve/secret") is None
        first = queries.next_due(session, now)
        assert first is not None
        assert first.package_id == "alice/a"
        first.look_at, first.seen = now + timedelta(days=1), first.wanted
        session.flush()
        second = queries.next_due(session, now)
        assert second is not None
        assert (second.package_id, queries.count_waiting(session)) == ("alice/b", 1)
        second.look_at, second.problem = now + timedelta(days=1), "no wheel"
        session.flush()
        assert queries.next_due(session, now) is None
        assert [row.package_id for row in queries.problems(session, 5)] == ["alice/b"]
        assert queries.count_problems(session) == 1
        queries.mark_all(session, now)
        session.expire_all()
        assert queries.count_waiting(session) == 2


def test_thousands_of_names_are_marked_in_few_statements(driver: ActionDriver) -> None:
    names = {f"alice/p{number}" for number in range(1200)}
    with driver.statements() as sent, driver.writing() as work:
        queries.mark(work.session, names, driver.clock.now(), adds=True)
    assert len([one for one in sent if "mirrored_packages" in one]) <= 9
    assert driver.rows("SELECT count(*) FROM mirrored_packages") == [(1200,)]

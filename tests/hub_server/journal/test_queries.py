from hub_server.journal import queries
from tests.making.action_driver import ActionDriver


def test_a_publish_is_found_by_its_name_and_nothing_else_of_it_is(driver: ActionDriver) -> None:
    alice = driver.person("alice")
    driver.publish(alice)
    driver.publish(alice, version="2.0")
    with driver.reading() as work:
        found = queries.find_publish(work.session, "alice/small-sums", "2.0")
        assert found is not None
        assert (found.position, found.act) == (1, "publish")
        assert queries.find_publish(work.session, "alice/small-sums", "3.0") is None
        assert queries.count_publishes(work.session) == 2
        assert [row.position for row in queries.entries_from(work.session, 1, 5)] == [1]


def test_a_publish_is_found_by_an_index(driver: ActionDriver) -> None:
    plan = driver.plan_of(
        "SELECT * FROM journal_entries WHERE package_id = 'a/b' AND version = '1' AND act = 'publish'"
    )
    assert "ix_journal_entries_package_id_version" in plan

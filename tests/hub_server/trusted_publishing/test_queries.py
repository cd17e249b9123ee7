from datetime import UTC, datetime

from hub_server.trusted_publishing import queries
from tests.making.action_driver import ActionDriver

NOW = datetime(2026, 11, 25, tzinfo=UTC)


def test_a_key_is_used_once_and_the_rest_of_the_transaction_is_kept(driver: ActionDriver) -> None:
    with driver.writing() as work:
        assert queries.use_identity(work.session, "a", NOW)
        assert not queries.use_identity(work.session, "a", NOW)
        assert queries.use_identity(work.session, "b", NOW)
    assert sorted(driver.rows("SELECT key FROM used_identities")) == [("a",), ("b",)]
    with driver.reading() as work:
        assert queries.find_publisher(work.session, "alice/x", "none") is None
        assert queries.publishers_of(work.session, "alice/x") == []

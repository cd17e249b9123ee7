"""What time alone makes due is done, as often as somebody likes."""

from hub_server.kernel.caller import SESSION_LIFETIME
from hub_server.upkeep import delete_expired
from tests.making.action_driver import ActionDriver, caller
from tests.making.credentials import session_of, signed_up, who


def test_what_is_over_goes_and_what_is_not_stays(driver: ActionDriver) -> None:
    signed_up(driver)
    old = session_of(driver)
    driver.clock.advance(SESSION_LIFETIME.total_seconds() + 1)
    fresh = session_of(driver)
    for _ in range(2):
        delete_expired(driver.services)
        assert len(driver.rows("SELECT * FROM web_sessions")) == 1
        assert (who(driver, session_secret=old), who(driver, session_secret=fresh) is None) == (None, False)


def test_jobs_that_ended_long_ago_are_forgotten(driver: ActionDriver) -> None:
    driver.person("alice")
    driver.publish(caller("alice"))
    driver.run_jobs()
    ended = "SELECT id FROM jobs WHERE ended_at IS NOT NULL"
    before = driver.rows(ended)
    driver.clock.advance(365 * 86400)
    delete_expired(driver.services)
    assert before
    assert driver.rows(ended) == []

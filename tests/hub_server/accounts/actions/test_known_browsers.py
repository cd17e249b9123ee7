"""A browser that was signed in with is known to that account, opens nothing, and is forgotten with the password."""

from datetime import timedelta

from hub_server.accounts import actions
from hub_server.accounts.actions.known_browsers import find_known_browser, remember_browser
from hub_server.accounts.actions.passwords import prove_password
from tests.making.action_driver import ActionDriver, person
from tests.making.credentials import NEW, OLD, session_of, signed_up, who


def test_it_is_known_to_the_accounts_that_signed_in_with_it_and_to_no_other(driver: ActionDriver) -> None:
    for name in ("carol", "dave", "erin"):
        signed_up(driver, name)
    secret = driver.do(None, remember_browser, "carol", None)
    assert driver.do(None, remember_browser, "dave", secret) == secret
    known = {name: find_known_browser(driver.services, name, secret) for name in ("carol", "dave", "erin", "nobody")}
    assert [name for name, found in known.items() if found] == ["carol", "dave"]
    assert known["carol"] != known["dave"]
    assert (
        find_known_browser(driver.services, "carol", "made up")
        == find_known_browser(driver.services, "carol", "")
        == ""
    )


def test_its_secret_signs_nobody_in_and_is_in_no_list_of_sessions(driver: ActionDriver) -> None:
    signed_up(driver)
    secret, cookie = driver.do(None, remember_browser, "carol", None), session_of(driver)
    assert who(driver, session_secret=secret) is None
    carol = who(driver, session_secret=cookie)
    assert len(driver.ask(carol, actions.list_web_sessions)) == 1
    assert find_known_browser(driver.services, "carol", cookie) == ""  # nor is a session's secret such a one


def test_it_outlives_the_session_and_ends_by_itself_or_with_the_password(driver: ActionDriver) -> None:
    signed_up(driver)
    secret = driver.do(None, remember_browser, "carol", None)
    driver.services.clock.advance(timedelta(days=170).total_seconds())  # type: ignore[attr-defined]
    driver.do(None, actions.forget_expired)
    assert find_known_browser(driver.services, "carol", secret)
    driver.do(None, remember_browser, "carol", secret)  # signed in again
    driver.services.clock.advance(timedelta(days=170).total_seconds())  # type: ignore[attr-defined]
    assert find_known_browser(driver.services, "carol", secret)
    proven = prove_password(driver.services, "carol", OLD)
    driver.do(person("carol"), actions.change_password, proven, actions.hash_password(NEW))
    assert find_known_browser(driver.services, "carol", secret) == ""

"""A hub is ready once its journal names every release, and finds out without counting for ever."""

from hub_server.app import create_app
from hub_server.database.read_only import set_read_only
from hub_server.publishing import actions as publishing
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api


def test_a_hub_is_not_ready_until_its_journal_is_complete_and_then_counts_no_more(driver: ActionDriver) -> None:
    driver.publish(driver.person("alice"))
    driver.forget_journal()
    api = Api(create_app(driver.services))
    answer = api.get("/readyz")
    assert (answer.status_code, answer.json()["ready"]) == (503, False)
    assert answer.json()["journal"] == "1 release is still to be entered, which clients refuse until then"
    assert api.get("/healthz").status_code == 200
    publishing.enter_missing_releases(driver.services)
    assert (api.get("/readyz").status_code, api.get("/readyz").json()["journal"]) == (200, "ok")
    with driver.statements() as sent:
        api.get("/readyz")
    assert not [one for one in sent if "journal_entries" in one]


def test_a_read_only_hub_whose_journal_lacks_releases_is_ready(driver: ActionDriver) -> None:
    driver.publish(driver.person("alice"))
    driver.forget_journal()
    driver.do(None, lambda work: set_read_only(work.session, work.now, "a backup"))
    answer = Api(create_app(driver.services)).get("/readyz")
    assert (answer.status_code, "no longer read-only" in answer.json()["journal"]) == (200, True)

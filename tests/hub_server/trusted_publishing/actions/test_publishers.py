import pytest

from hub_server.errors import InvalidRequestError, NotAllowedError, PasswordNeededError
from hub_server.settings import TrustedPublishingSettings
from hub_server.trusted_publishing import actions
from schemas.trusted_publishers import Provider, TrustedPublisherCreate
from tests.making.action_driver import ActionDriver, caller, person
from tests.making.identity_provider import GITHUB

BODY = TrustedPublisherCreate(provider=Provider.GITHUB, issuer=GITHUB, repository="alice/sums", workflow="release.yml")


@pytest.fixture
def accepting(driver: ActionDriver) -> ActionDriver:
    settings = driver.services.settings.model_copy(
        update={"trusted_publishing": TrustedPublishingSettings(issuers=[GITHUB])}
    )
    object.__setattr__(driver.services, "settings", settings)
    driver.person("alice")
    return driver


def test_a_publisher_is_registered_for_a_package_that_need_not_exist(accepting: ActionDriver) -> None:
    made = accepting.do(person("alice"), actions.add_publisher, "alice/new", BODY)
    assert (made.package, made.registered_by, made.last_used_at) == ("alice/new", "alice", None)
    assert accepting.ask(caller("alice"), actions.list_publishers, "alice/new") == [made]
    accepting.do(person("alice"), actions.remove_publisher, "alice/new", made.id)
    assert accepting.ask(caller("alice"), actions.list_publishers, "alice/new") == []


def test_who_may_not_register_one(accepting: ActionDriver) -> None:
    for who, refusal in [(caller("alice"), PasswordNeededError), (person("bob"), NotAllowedError)]:
        with pytest.raises(refusal):
            accepting.do(who, actions.add_publisher, "alice/new", BODY)
    with pytest.raises(InvalidRequestError):
        accepting.do(person("alice"), actions.add_publisher, "no name", BODY)


def test_a_package_has_so_many_and_no_more(accepting: ActionDriver) -> None:
    for _ in range(20):
        accepting.do(person("alice"), actions.add_publisher, "alice/new", BODY)
    with pytest.raises(InvalidRequestError, match="at most 20"):
        accepting.do(person("alice"), actions.add_publisher, "alice/new", BODY)


def test_nobody_accepts_an_issuer_that_the_operator_did_not_name(driver: ActionDriver) -> None:
    driver.person("alice")
    with pytest.raises(InvalidRequestError, match="TRUSTED_PUBLISHING__ISSUERS"):
        driver.do(person("alice"), actions.add_publisher, "alice/new", BODY)

"""One account cannot flood what others read: whatever it toggles, the act that is too much is refused and undone."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from hub_server.accounts import actions as accounts
from hub_server.errors import TooManyRequestsError
from hub_server.kernel.caller import operator
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ownership import actions as ownership
from hub_server.settings import LimitSettings, MailSettings
from schemas.account import Member, Role
from schemas.events import EventKind
from tests.making.action_driver import ActionDriver, person

SUMS = "alice/small-sums"


@pytest.fixture
def lab(driver: ActionDriver) -> ActionDriver:
    """A hub of small limits, where alice has a package and an organisation with bob."""
    limits = LimitSettings(events_burst=5, events_per_hour=2, notices_burst=4, notices_per_hour=2)
    mail = MailSettings(host="mail.example", sender="hub@example.org")
    settings = driver.services.settings.model_copy(update={"limits": limits, "mail": mail})
    driver.services = replace(driver.services, settings=settings)
    for name in ("alice", "bob", "carol"):
        driver.person(name)
    driver.organization("team", alice="owner", bob="owner", carol="member")
    driver.publish(person("alice"), SUMS)
    with driver.writing() as work:
        work.session.execute(text("UPDATE accounts SET email = name || '@example.org' WHERE kind = 'person'"))
    return driver


def events(driver: ActionDriver) -> int:
    return int(driver.rows("SELECT count(*) FROM events")[0][0])


def test_toggling_ends_after_a_burst_and_goes_on_slowly(lab: ActionDriver) -> None:
    alice, refused = person("alice"), []
    acts = [(ownership.archive_package, (SUMS, "over")), (ownership.unarchive_package, (SUMS,))] * 6
    for act, arguments in acts:
        try:
            lab.do(alice, act, *arguments)
        except TooManyRequestsError as error:
            refused.append(error.retry_after_seconds)
    assert events(lab) <= 6  # its publish has a limit of its own
    assert refused
    assert min(refused) > 0
    before = events(lab)
    lab.clock.advance(24 * 3600)
    is_archived = lab.rows("SELECT archived_reason FROM packages")[0][0] is not None
    if is_archived:
        lab.do(alice, ownership.unarchive_package, SUMS)
    else:
        lab.do(alice, ownership.archive_package, SUMS, "over")
    assert events(lab) == before + 1


def test_a_refused_act_is_undone_and_another_account_is_not_held_up(lab: ActionDriver) -> None:
    alice = person("alice")

    def announce_many(work: UnitOfWork) -> None:
        for _ in range(9):
            work.announce(EventKind.PACKAGE_ARCHIVED, SUMS)

    with pytest.raises(TooManyRequestsError):
        lab.do(alice, announce_many)
    assert events(lab) == 1  # its publish
    for by in (person("bob"), operator(), None):
        with lab.writing(by) as work:
            work.announce(EventKind.PACKAGE_ARCHIVED, SUMS)
    with lab.writing(operator()) as work:  # nobody's flood delays a moderator
        for _ in range(20):
            work.announce(EventKind.RELEASE_QUARANTINED, SUMS)


def test_mails_about_changes_end_with_the_changes(lab: ActionDriver) -> None:
    """Or whoever took an account over would first use the mails up, and then do what nobody hears of."""
    lab.do(person("alice"), accounts.invite_member, "team", Member(account="carol", role=Role.MAINTAINER))
    with pytest.raises(TooManyRequestsError, match="mails"):
        lab.do(person("alice"), accounts.invite_member, "team", Member(account="carol", role=Role.MEMBER))
    with pytest.raises(TooManyRequestsError):
        lab.do(person("alice"), accounts.remove_member, "team", "carol")
    found = lab.ask(None, accounts.get_organization, "team")
    assert [member.role for member in found.members if member.account == "carol"] == [Role.MAINTAINER]

"""The row behind a name, and whether the caller's is still there."""

import pytest

from hub_server.accounts.actions import refuse_deleted
from hub_server.accounts.actions.account_rows import find_any_account, get_any_account, get_person
from hub_server.accounts.errors import AccountNotFoundError
from hub_server.accounts.models import DELETED, AccountRow
from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.unit_of_work import UnitOfWork
from tests.making.action_driver import ActionDriver, person


def test_an_organisation_is_no_person(driver: ActionDriver) -> None:
    driver.person("ann")
    driver.organization("team", ann="owner")
    assert driver.ask(None, lambda work: get_person(work, "ann").name) == "ann"
    assert driver.ask(None, lambda work: get_any_account(work, "team").name) == "team"
    for find, name in ((get_person, "team"), (get_person, "bob"), (get_any_account, "bob")):
        with pytest.raises(AccountNotFoundError):
            driver.ask(None, find, name)
    assert driver.ask(None, find_any_account, "bob") is None


def test_who_was_deleted_after_it_was_found_is_refused(driver: ActionDriver) -> None:
    ann = driver.person("ann")
    driver.ask(ann, refuse_deleted)
    driver.ask(None, refuse_deleted)

    def delete(work: UnitOfWork) -> None:
        row = work.session.get(AccountRow, ann.account_id)
        assert row is not None
        row.kind = DELETED

    driver.do(None, delete)
    with pytest.raises(NotAuthenticatedError, match="deleted a moment ago"):
        driver.ask(ann, refuse_deleted)
    driver.ask(person("bob"), refuse_deleted)

"""Accounts: who can have which name, and what everybody sees of one."""

from dataclasses import replace

import pytest

from hub_server.accounts import actions
from hub_server.accounts.actions.accounts import account_of, check_name_is_free
from hub_server.accounts.errors import AccountNotFoundError, NameTakenError, SignUpClosedError
from hub_server.accounts.models import AccountRow
from hub_server.accounts.rules.names import RESERVED_NAMES, fold_name
from tests.making.action_driver import ActionDriver
from tests.making.credentials import signed_up


def test_nobody_signs_up_where_the_operator_closed_it(driver: ActionDriver) -> None:
    settings = driver.services.settings.model_copy(update={"sign_up_open": False})
    driver.services = replace(driver.services, settings=settings)
    with pytest.raises(SignUpClosedError):
        signed_up(driver)
    assert driver.rows("SELECT id FROM accounts") == []


@pytest.mark.parametrize("name", ["carol", "car0l", *sorted(RESERVED_NAMES)[:3]])
def test_a_name_that_is_taken_reserved_or_looks_alike_cannot_be_had(driver: ActionDriver, name: str) -> None:
    signed_up(driver, "carol")
    with driver.reading() as work, pytest.raises(NameTakenError):
        check_name_is_free(work, name)


@pytest.mark.parametrize("one", "l1io0ab")
@pytest.mark.parametrize("other", "l1io0ab")
def test_two_names_of_look_alike_letters_are_taken_together_or_not_at_all(one: str, other: str) -> None:
    assert fold_name(fold_name(one)) == fold_name(one), (
        "folding twice changes nothing, or a folded name could be taken again"
    )
    assert (fold_name(f"a{one}b") == fold_name(f"a{other}b")) == (fold_name(one) == fold_name(other))


def test_what_everybody_sees_of_an_account_holds_neither_mail_nor_password(driver: ActionDriver) -> None:
    signed_up(driver)
    shown = driver.ask(None, actions.get_account, "carol").model_dump_json()
    assert "example.org" not in shown
    assert "argon2" not in shown


def test_an_organisation_is_no_account_to_read(driver: ActionDriver) -> None:
    driver.organization("team")
    for name in ("team", "nobody", "", "\x00"):
        with pytest.raises(AccountNotFoundError):
            driver.ask(None, actions.get_account, name)


def test_nobody_has_no_account(driver: ActionDriver) -> None:
    assert driver.ask(None, actions.find_caller_account) is None
    found = driver.ask(driver.person("bob"), actions.find_caller_account)
    assert found is not None
    assert found.name == "bob"


def test_a_row_shows_moderators_by_the_operators_list(driver: ActionDriver) -> None:
    with driver.reading() as work:
        row = AccountRow(id="1", name="moda", kind="person", created_at=work.now, is_moderator=False)
        assert account_of(work, row).is_moderator

"""What the tables themselves refuse, whatever the code above them forgets."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.accounts.models import AccountRow, DeviceLoginRow, MembershipRow, TokenRow, WebSessionRow
from tests.making.action_driver import ActionDriver


def account(driver: ActionDriver, name: str, **more) -> AccountRow:
    fields = {"id": f"id-{name}", "name": name, "name_folded": name, "created_at": driver.clock.now()}
    return AccountRow(**{**fields, **more})


def token(driver: ActionDriver, **more) -> TokenRow:
    now = driver.clock.now()
    fields = {"id": "t", "account_id": "id-ann", "name": "ci", "secret_sha256": "0", "scopes": []}
    return TokenRow(**{**fields, "created_at": now, "expires_at": now, **more})


def device(driver: ActionDriver, **more) -> DeviceLoginRow:
    now = driver.clock.now()
    fields = {"id": "d", "device_code_sha256": "0", "user_code": "BBBB-BBBB", "client_name": "x"}
    return DeviceLoginRow(**{**fields, "created_at": now, "expires_at": now, **more})


def refused(driver: ActionDriver, row: object) -> None:
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(row)


def test_two_accounts_share_neither_a_name_nor_what_it_looks_like(driver: ActionDriver) -> None:
    driver.person("ann")
    refused(driver, account(driver, "ann", id="other", name_folded="other"))
    refused(driver, account(driver, "amm", name_folded="ann"))


def test_a_secret_is_one_tokens(driver: ActionDriver) -> None:
    driver.person("ann")
    with driver.writing() as work:
        work.session.add(token(driver))
    refused(driver, token(driver, id="t2"))


def test_a_code_is_one_devices(driver: ActionDriver) -> None:
    with driver.writing() as work:
        work.session.add(device(driver))
    refused(driver, device(driver, id="d2", user_code="CCCC-CCCC"))
    refused(driver, device(driver, id="d2", device_code_sha256="1"))


def test_nothing_belongs_to_an_account_that_does_not_exist(driver: ActionDriver) -> None:
    now = driver.clock.now()
    refused(driver, token(driver, account_id="id-nobody"))
    refused(driver, device(driver, account_id="id-nobody"))
    refused(driver, WebSessionRow(secret_sha256="0", account_id="id-nobody", created_at=now, expires_at=now))
    refused(driver, MembershipRow(organization_id="id-no", account_id="id-nobody", role="owner", created_at=now))


def test_a_person_is_once_in_an_organisation(driver: ActionDriver) -> None:
    driver.person("ann")
    driver.organization("team", ann="owner")
    refused(
        driver,
        MembershipRow(organization_id="id-team", account_id="id-ann", role="member", created_at=driver.clock.now()),
    )


def test_who_is_written_with_a_name_alone_is_a_person_without_powers_and_without_a_password(
    driver: ActionDriver,
) -> None:
    with driver.writing() as work:
        work.session.add(account(driver, "ann"))
    assert driver.rows("SELECT kind, is_moderator, password_hash, email FROM accounts") == [("person", 0, "", "")]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM tokens WHERE secret_sha256 = 'x'",
        "SELECT * FROM tokens WHERE account_id = 'x'",
        "SELECT * FROM accounts WHERE name = 'x' OR name_folded = 'x'",
        "SELECT * FROM web_sessions WHERE secret_sha256 = 'x'",
        "SELECT * FROM memberships WHERE account_id = 'x'",
        "SELECT * FROM device_logins WHERE user_code = 'x'",
    ],
)
def test_what_every_request_looks_up_is_found_by_an_index(driver: ActionDriver, statement: str) -> None:
    plan = driver.plan_of(statement)
    assert "SEARCH" in plan or "MULTI-INDEX" in plan
    assert "SCAN" not in plan

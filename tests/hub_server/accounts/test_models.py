"""What the tables themselves refuse, whatever the code above them forgets."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.accounts.models import AccountRow, DeviceLoginRow, MembershipRow, TokenRow, WebSessionRow
from tests.making.desk import Desk


def account(desk: Desk, name: str, **more) -> AccountRow:
    fields = {"id": f"id-{name}", "name": name, "name_folded": name, "created_at": desk.clock.now()}
    return AccountRow(**{**fields, **more})


def token(desk: Desk, **more) -> TokenRow:
    now = desk.clock.now()
    fields = {"id": "t", "account_id": "id-ann", "name": "ci", "secret_sha256": "0", "scopes": []}
    return TokenRow(**{**fields, "created_at": now, "expires_at": now, **more})


def device(desk: Desk, **more) -> DeviceLoginRow:
    now = desk.clock.now()
    fields = {"id": "d", "device_code_sha256": "0", "user_code": "BBBB-BBBB", "client_name": "x"}
    return DeviceLoginRow(**{**fields, "created_at": now, "expires_at": now, **more})


def refused(desk: Desk, row: object) -> None:
    with pytest.raises(IntegrityError), desk.writing() as work:
        work.session.add(row)


def test_two_accounts_share_neither_a_name_nor_what_it_looks_like(desk: Desk) -> None:
    desk.person("ann")
    refused(desk, account(desk, "ann", id="other", name_folded="other"))
    refused(desk, account(desk, "amm", name_folded="ann"))


def test_a_secret_is_one_tokens(desk: Desk) -> None:
    desk.person("ann")
    with desk.writing() as work:
        work.session.add(token(desk))
    refused(desk, token(desk, id="t2"))


def test_a_code_is_one_devices(desk: Desk) -> None:
    with desk.writing() as work:
        work.session.add(device(desk))
    refused(desk, device(desk, id="d2", user_code="CCCC-CCCC"))
    refused(desk, device(desk, id="d2", device_code_sha256="1"))


def test_nothing_belongs_to_an_account_that_does_not_exist(desk: Desk) -> None:
    now = desk.clock.now()
    refused(desk, token(desk, account_id="id-nobody"))
    refused(desk, device(desk, account_id="id-nobody"))
    refused(desk, WebSessionRow(secret_sha256="0", account_id="id-nobody", created_at=now, expires_at=now))
    refused(desk, MembershipRow(organization_id="id-no", account_id="id-nobody", role="owner", created_at=now))


def test_a_person_is_once_in_an_organisation(desk: Desk) -> None:
    desk.person("ann")
    desk.organization("team", ann="owner")
    refused(
        desk,
        MembershipRow(organization_id="id-team", account_id="id-ann", role="member", created_at=desk.clock.now()),
    )


def test_who_is_written_with_a_name_alone_is_a_person_without_powers_and_without_a_password(desk: Desk) -> None:
    with desk.writing() as work:
        work.session.add(account(desk, "ann"))
    assert desk.rows("SELECT kind, is_moderator, password_hash, email FROM accounts") == [("person", 0, "", "")]


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
def test_what_every_request_looks_up_is_found_by_an_index(desk: Desk, statement: str) -> None:
    plan = desk.plan_of(statement)
    assert "SEARCH" in plan or "MULTI-INDEX" in plan
    assert "SCAN" not in plan

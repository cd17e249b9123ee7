"""Accounts: whose name is taken, and who has an address."""

from hub_server.accounts.models import AccountRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.rules.names import fold_name
from tests.making.action_driver import ActionDriver


def test_a_name_is_taken_by_itself_or_by_its_fold(driver: ActionDriver) -> None:
    driver.person("bill")
    with driver.reading() as work:
        taken = {
            name: account_queries.is_name_taken(work.session, name, fold_name(name)) for name in ("bill", "biii", "bil")
        }
    assert taken == {"bill": True, "biii": True, "bil": False}


def test_an_address_finds_its_people_whatever_its_case_oldest_first(driver: ActionDriver) -> None:
    for name in ("zoe", "ann", "eve"):
        driver.person(name)
        driver.clock.advance(1)
    driver.organization("acme")
    with driver.writing() as work:
        for name, email in (("zoe", "A@x.org"), ("ann", "a@X.org"), ("eve", "b@x.org"), ("acme", "a@x.org")):
            work.session.get_one(AccountRow, f"id-{name}").email = email
    with driver.reading() as work:
        found = account_queries.people_of_email(work.session, "a@x.ORG", 5)
        assert [row.name for row in found] == ["zoe", "ann"]
        assert [row.name for row in account_queries.people_of_email(work.session, "a@x.org", 1)] == ["zoe"]
        assert account_queries.people_of_email(work.session, "%@x.org", 5) == []

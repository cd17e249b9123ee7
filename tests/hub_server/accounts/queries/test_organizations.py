"""Memberships, read from both sides."""

from hub_server.accounts.models import AccountRow
from hub_server.accounts.queries import organizations as organization_queries
from tests.making.action_driver import ActionDriver


def test_memberships_are_read_from_both_sides_by_name(driver: ActionDriver) -> None:
    driver.person("ann")
    driver.person("ben")
    driver.organization("zeta", ann="owner", ben="member")
    driver.organization("alpha", ann="member")
    with driver.reading() as work:
        assert organization_queries.organizations_of(work.session, "id-ann") == [("alpha", "member"), ("zeta", "owner")]
        assert organization_queries.members_of(work.session, "id-zeta") == [("ann", "owner"), ("ben", "member")]
        assert organization_queries.members_of(work.session, "id-none") == []
        assert organization_queries.find_membership(work.session, "id-zeta", "id-ben") is not None
        assert organization_queries.find_membership(work.session, "id-ben", "id-zeta") is None


def test_the_role_in_a_suspended_organisation_is_none(driver: ActionDriver) -> None:
    driver.person("ann")
    for name in ("alpha", "zeta"):
        driver.organization(name, ann="owner")
    with driver.writing() as work:
        work.session.get_one(AccountRow, "id-alpha").suspended_reason = "spam"
    with driver.reading() as work:
        assert organization_queries.active_memberships_of(work.session, "id-ann") == {"zeta": "owner"}
        assert organization_queries.members_of_all(work.session, ["alpha", "none"]) == [("alpha", "ann")]

"""Who was behind a package decides nothing about it as a stranger: former owners and members, and who published it."""

import pytest

from hub_server.accounts import actions as accounts
from hub_server.audits import actions
from hub_server.catalog import actions as catalog
from hub_server.ownership import actions as ownership
from schemas.ownership import TransferCreate
from tests.hub_server.audits.actions.test_dispute_end import of_standing
from tests.hub_server.audits.judged import SUMS, submit
from tests.making.action_driver import ActionDriver, person

HALF_A_YEAR = 181 * 86_400


@pytest.mark.parametrize("was", ["strangers", "members", "owners"])
def test_two_of_standing_make_a_case_count_unless_they_were_behind_the_package(hedging: ActionDriver, was: str) -> None:
    """Two who had left the organisation gave its verifier independent evidence: cases that its next release had right.

    Their word outranks the owner's, and alone speaks for a release.
    """
    dora, emil = of_standing(hedging, "dora"), of_standing(hedging, "emil")
    if was == "members":
        hedging.organization("lab", alice="owner", dora="maintainer", emil="maintainer")
        give(hedging, "alice", "lab", by="alice")
        for name in ("dora", "emil"):
            hedging.do(person("alice"), accounts.remove_member, "lab", name)
    elif was == "owners":
        give(hedging, "alice", "dora", by="dora")
        give(hedging, "dora", "emil", by="emil")
        give(hedging, "emil", "alice", by="alice")
    case_id = submit(hedging).id
    hedging.do(dora, actions.second_case, SUMS, case_id)
    found = hedging.do(emil, actions.second_case, SUMS, case_id)
    assert found.counted_by == ("standing" if was == "strangers" else "")


def test_who_published_for_an_organisation_is_behind_its_package_for_ever(driver: ActionDriver) -> None:
    """Whoever wrote a suite for their own organisation, left it to a friend and waited was a stranger to it."""
    driver.person("alice")
    driver.person("bob")
    driver.organization("lab", alice="owner", bob="owner")
    driver.publish(person("alice", organizations=frozenset({"lab"}), maintained=frozenset({"lab"})), "lab/sums")
    driver.do(person("alice"), accounts.remove_member, "lab", "alice")
    driver.clock.advance(HALF_A_YEAR)
    with driver.reading() as work:
        assert catalog.people_behind(work, ["lab/sums"]) == {"lab/sums": {"lab", "alice", "bob"}}
        assert accounts.people_of_organizations(work, ["lab"]) == {"lab": {"bob"}}


def give(driver: ActionDriver, owner: str, to: str, *, by: str) -> None:
    driver.do(person(owner), ownership.offer_package, SUMS, TransferCreate(to=to))
    driver.do(person(by), ownership.answer_transfer, SUMS, accept=True)
    driver.clock.advance(2 * 86_400)  # a package changes hands once a day

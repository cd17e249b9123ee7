"""An account's ledger: everybody reads every point, and nobody learns from it what is private or hidden."""

import pytest

from hub_server.accounts.errors import AccountNotFoundError
from hub_server.accounts.models import AccountRow
from hub_server.audits import actions
from hub_server.catalog.models import PackageRow
from hub_server.errors import InvalidRequestError
from schemas.evidence.standing import Standing
from tests.hub_server.audits.judged import ALICE, BOB, CAROL, MODA, SUMS, hack, submit
from tests.making.action_driver import ActionDriver


def confirmed(driver: ActionDriver, name: str) -> str:
    """A case of bob that a moderator made count."""
    case_id = submit(driver, hack(name, response=f"2 or {name}")).id
    driver.do(MODA, actions.second_case, SUMS, case_id)
    driver.clock.advance(60)
    return case_id


def refused(driver: ActionDriver) -> str:
    """A case of bob whose label a moderator refused."""
    case_id = submit(driver, hack("lie", response="2 or a lie")).id
    driver.do(CAROL, actions.dispute_case, SUMS, case_id, "no")
    driver.do(MODA, actions.settle_dispute, SUMS, case_id, "withdrawn")
    return case_id


def ledger(driver: ActionDriver, by=None, name: str = "bob", **more) -> Standing:
    return driver.ask(by, actions.get_standing, name, **more)


def test_it_lists_every_point_with_its_case_and_what_the_sum_allows(hedging: ActionDriver) -> None:
    ids = [confirmed(hedging, name) for name in ("one", "two", "three")]
    found = ledger(hedging)
    assert (found.points, found.has_standing, found.missing, found.rank) == (3, True, 0, "standing")
    assert [(one.points, one.case, one.package) for one in found.items] == [(1, one, SUMS) for one in reversed(ids)]
    assert found.quotas.waiting == 30
    lie = refused(hedging)
    found = ledger(hedging)
    assert (found.points, found.has_standing, found.missing, found.rank) == (0, False, 3, "new")
    assert (found.items[0].points, found.items[0].case, found.items[0].version) == (-3, lie, "1.0.0")
    assert found.items[0].why == "a moderator refused its label"
    assert found.quotas.waiting == 5
    moda = ledger(hedging, name="moda")
    assert (moda.points, moda.items) == (0, []), "a moderator's own seconds risked nothing"


def test_it_comes_in_pages_that_leave_nothing_out(hedging: ActionDriver) -> None:
    ids = [confirmed(hedging, name) for name in ("one", "two", "three")]
    first = ledger(hedging, limit=2)
    second = ledger(hedging, limit=2, cursor=first.next)
    assert [one.case for one in (*first.items, *second.items)] == ids[::-1]
    assert (second.next, second.points) == (None, 3), "the sum is that of all pages"
    for wrong in ({"cursor": "x"}, {"limit": 0}, {"limit": 10_000}):
        with pytest.raises(InvalidRequestError):
            ledger(hedging, **wrong)


@pytest.mark.parametrize("how", ["case", "submitter", "package"])
def test_what_moderators_hide_is_counted_and_named_to_them_alone(hedging: ActionDriver, how: str) -> None:
    case_id = submit(hedging).id
    hedging.do(CAROL, actions.second_case, SUMS, case_id)
    hedging.do(MODA, actions.second_case, SUMS, case_id)
    if how == "case":
        hedging.do(MODA, actions.hide_case, SUMS, case_id, "it insults")
    else:
        with hedging.writing() as work:
            if how == "submitter":
                work.session.get_one(AccountRow, "id-bob").hidden_reason = "spam"
            else:
                work.session.get_one(PackageRow, SUMS).is_listed = False
    [line] = ledger(hedging, name="carol").items
    assert (line.points, line.case, line.package, line.version) == (1, "", "", "")
    assert ledger(hedging, MODA, "carol").items[0].case == case_id


def test_a_private_package_leaves_no_trace_whoever_asks(hedging: ActionDriver) -> None:
    confirmed(hedging, "one")
    with hedging.writing() as work:
        work.session.get_one(PackageRow, SUMS).is_private = True
    for by in (None, ALICE, BOB, MODA):
        assert (ledger(hedging, by).points, ledger(hedging, by).items) == (0, [])


def test_the_ledger_of_a_hidden_account_is_for_itself_and_moderators(hedging: ActionDriver) -> None:
    confirmed(hedging, "one")
    with hedging.writing() as work:
        work.session.get_one(AccountRow, "id-bob").hidden_reason = "spam"
    for by in (None, CAROL):
        with pytest.raises(AccountNotFoundError):
            ledger(hedging, by)
    assert ledger(hedging, BOB).points == ledger(hedging, MODA).points == 1
    with pytest.raises(AccountNotFoundError):
        ledger(hedging, name="nobody")


def test_what_waits_for_somebody_is_a_line_without_points(
    hedging: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    case_id = submit(hedging).id
    monkeypatch.setattr("hub_server.audits.actions.seconders.points", lambda *_: 99)
    for name in ("dora", "emil"):
        hedging.do(hedging.person(name), actions.second_case, SUMS, case_id)
    found = ledger(hedging)
    assert (found.points, found.waiting, [one.points for one in found.items]) == (0, 1, [0])
    hedging.do(MODA, actions.second_case, SUMS, case_id)
    assert (ledger(hedging).points, ledger(hedging).waiting) == (1, 0)

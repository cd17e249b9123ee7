"""Whose word makes a counter-example count, from the side of somebody who has many accounts."""

from hub_server.audits.rules.reputation import ENOUGH, LOSS, LedgerEntry, counts_by, points_of


def test_cases_that_count_by_others_earn_and_overturned_ones_cost():
    assert points_of([LedgerEntry("standing", is_overturned=False)] * 4) == 4
    assert (
        points_of([LedgerEntry("labels", is_overturned=False), LedgerEntry("moderator", is_overturned=True)])
        == 1 - LOSS
    )
    assert points_of([LedgerEntry("", is_overturned=False)] * 100) == 0, "what nobody seconded earns nothing"


def test_an_owner_gives_no_standing_away():
    """Or a friend with a package could make any number of accounts count elsewhere."""
    assert points_of([LedgerEntry("owner", is_overturned=False)] * 100) == 0


def test_the_owner_a_moderator_or_two_of_standing_make_a_case_count():
    assert counts_by(["alice"], {"alice"}, [], {}) == "owner"
    assert counts_by(["moda"], {"alice"}, ["moda"], {}) == "moderator"
    assert counts_by(["bob"], {"alice"}, [], {"bob": ENOUGH}) == ""
    assert counts_by(["bob", "carol"], {"alice"}, [], {"bob": ENOUGH, "carol": ENOUGH}) == "standing"
    assert counts_by(["bob", "carol"], {"alice"}, [], {"bob": ENOUGH, "carol": ENOUGH - 1}) == ""


def test_ten_fresh_accounts_that_second_each_other_make_nothing_count():
    colluders = [f"c{n}" for n in range(10)]
    assert counts_by(colluders, {"alice"}, [], dict.fromkeys(colluders, 0)) == ""

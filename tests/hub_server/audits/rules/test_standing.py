"""Whose word makes a counter-example count, from the side of somebody who has many accounts."""

from hub_server.audits.rules.standing import (
    ENOUGH,
    at_the_end,
    counts_by,
    outranks,
    quorum,
)


def test_the_owner_a_moderator_or_two_of_standing_make_a_case_count():
    assert counts_by(["alice"], {"alice"}, [], {}) == "owner"
    assert counts_by(["moda"], {"alice"}, ["moda"], {}) == "moderator"
    assert counts_by(["bob"], {"alice"}, [], {"bob": ENOUGH}) == ""
    assert counts_by(["bob", "carol"], {"alice"}, [], {"bob": ENOUGH, "carol": ENOUGH}) == "standing"
    assert counts_by(["bob", "carol"], {"alice"}, [], {"bob": ENOUGH, "carol": ENOUGH - 1}) == ""


def test_the_owners_word_does_not_hide_a_stronger_one():
    """An owner who seconds first kept what two accounts of standing had found from counting as theirs."""
    known = {"bob": ENOUGH, "carol": ENOUGH, "alice": ENOUGH}
    assert counts_by(["alice", "bob", "carol"], {"alice"}, [], known) == "standing"
    assert counts_by(["alice", "bob"], {"alice"}, [], known) == "owner", "an owner of standing is no second account"
    assert counts_by(["alice", "moda"], {"alice"}, ["moda"], known) == "moderator"


def test_ten_fresh_accounts_that_second_each_other_make_nothing_count():
    colluders = [f"c{n}" for n in range(10)]
    assert counts_by(colluders, {"alice"}, [], dict.fromkeys(colluders, 0)) == ""


def test_two_more_on_one_side_decide_and_otherwise_time_does():
    assert [quorum(for_label, against) for for_label, against in ((2, 0), (3, 2), (0, 2), (1, 1))] == [
        "upheld",
        None,
        "overturned",
        None,
    ]
    assert at_the_end(1, 0, counts=False) == "upheld"
    assert at_the_end(0, 1, counts=True) == "overturned"
    assert [at_the_end(1, 1, counts=one) for one in (True, False)] == ["upheld", "lapsed"]


def test_an_owners_word_never_goes_before_anothers():
    assert outranks("standing", "owner")
    assert outranks("moderator", "labels")
    assert not outranks("owner", "standing")
    assert not outranks("standing", "labels")

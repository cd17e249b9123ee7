"""Who counts as one owner of suites, from the side of somebody who wants to be two."""

from hub_server.audits.rules.suite_owners import counted_as_one


def test_strangers_are_two_owners_and_two_suites_of_one_account_are_one():
    found = counted_as_one({"al/one": {"al"}, "al/two": {"al"}, "bo/three": {"bo"}})
    assert found == {"al/one": "al", "al/two": "al", "bo/three": "bo"}


def test_an_account_and_its_own_organisation_are_one_owner():
    assert set(counted_as_one({"al/one": {"al"}, "lab/two": {"lab", "al", "bo"}}).values()) == {"al"}


def test_who_is_linked_by_a_third_suite_is_one_owner_whatever_the_order():
    people = {"al/one": {"al"}, "zed/two": {"zed"}, "lab/three": {"al", "zed"}}
    assert set(counted_as_one(people).values()) == {"al"}
    assert set(counted_as_one(dict(reversed(people.items()))).values()) == {"al"}


def test_suites_of_owners_whom_the_operator_named_are_the_hub_s_own():
    found = counted_as_one({"suites/a": {"suites"}, "suites/b": {"suites"}, "bo/c": {"bo"}}, {"suites/a", "suites/b"})
    assert found == {"suites/a": "the hub", "suites/b": "the hub", "bo/c": "bo"}


def test_a_suite_that_was_given_away_is_its_giver_s_too():
    found = counted_as_one({"al/one": {"al"}, "bo/given": {"al", "bo"}})
    assert found["al/one"] == found["bo/given"]


def test_whoever_shares_a_person_with_the_hub_s_suites_is_not_the_hub():
    """The hub's suites make a B alone: a stranger who invites one of their people must not get that."""
    people = {"suites/a": {"suites", "ann"}, "evil/easy": {"evil", "ann"}, "eve/more": {"eve", "evil"}}
    found = counted_as_one(people, {"suites/a"})
    assert (found["suites/a"], found["evil/easy"]) == ("the hub", found["eve/more"])
    assert "the hub" not in {found["evil/easy"], found["eve/more"]}


def test_a_suite_that_the_hub_s_owner_gave_away_is_the_hub_s_no_more():
    found = counted_as_one({"suites/a": {"suites"}, "suites/given": {"suites", "bo"}}, {"suites/a"})
    assert found == {"suites/a": "the hub", "suites/given": "suites"}

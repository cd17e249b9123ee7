"""Which cases of a suite are drawn: the same for one secret, others for another."""

from hub_server.audits.rules.drawing_lots import drawn

ITEMS = list(range(1000))
NAMES = [f"case-{number}" for number in ITEMS]


def test_the_same_secret_draws_the_same_cases_in_their_order():
    found = drawn(ITEMS, NAMES, 100, "one")
    assert found == drawn(ITEMS, NAMES, 100, "one")
    assert len(found) == 100
    assert found == sorted(found)


def test_another_release_draws_others():
    shared = set(drawn(ITEMS, NAMES, 100, "one")) & set(drawn(ITEMS, NAMES, 100, "two"))
    assert len(shared) < 30


def test_a_small_suite_is_taken_whole():
    assert drawn(ITEMS[:5], NAMES[:5], 100, "one") == ITEMS[:5]

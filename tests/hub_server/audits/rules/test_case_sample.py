from hub_server.audits.rules.case_sample import sample_cases

"""Which cases of a suite are drawn: the same for one secret, others for another."""

ITEMS = list(range(1000))
NAMES = [f"case-{number}" for number in ITEMS]


def test_the_same_secret_draws_the_same_cases_in_their_order():
    found = sample_cases(ITEMS, NAMES, 100, "one")
    assert found == sample_cases(ITEMS, NAMES, 100, "one")
    assert len(found) == 100
    assert found == sorted(found)


def test_another_release_draws_others():
    shared = set(sample_cases(ITEMS, NAMES, 100, "one")) & set(sample_cases(ITEMS, NAMES, 100, "two"))
    assert len(shared) < 30


def test_a_small_suite_is_taken_whole():
    assert sample_cases(ITEMS[:5], NAMES[:5], 100, "one") == ITEMS[:5]

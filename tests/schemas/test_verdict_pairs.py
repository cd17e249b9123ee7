"""Pairs of verdicts: every pair has a key of its own, and the key its words."""

from itertools import product

from schemas.verdict_pairs import pair_key, verdict_word, words_of_pair

VERDICTS = (True, False, None)


def test_each_pair_has_its_own_key_which_says_the_words_of_both() -> None:
    pairs = list(product(VERDICTS, VERDICTS))
    assert len({pair_key(*pair) for pair in pairs}) == 9
    for first, second in pairs:
        assert words_of_pair(pair_key(first, second)) == (verdict_word(first), verdict_word(second))


def test_what_was_not_judged_is_no_rejection() -> None:
    assert pair_key(None, False) == "null/rejected", "reports that are stored have these keys"
    assert words_of_pair("accepted/null") == ("accepted", "not judged")

import pytest

from hub_server.evaluations.quality.label_agreement import krippendorff_alpha, most_informative


def test_alpha_of_krippendorffs_own_example():
    """Nominal data of four observers, from Computing Krippendorff's Alpha-Reliability (2011), section C: 0.743."""
    table = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    units = [[row[column] for row in table if row[column] is not None] for column in range(12)]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=5e-4)


def test_perfect_agreement_is_one_and_systematic_disagreement_is_below_zero():
    assert krippendorff_alpha([["a", "a"], ["b", "b", "b"]]) == 1.0
    assert krippendorff_alpha([["a", "b"]] * 10) < 0


@pytest.mark.parametrize("units", [[], [["a"]], [["a", "a"], ["a", "a"]]])
def test_without_pairs_or_variety_there_is_no_alpha(units):
    assert krippendorff_alpha(units) is None


def test_even_disagreement_is_looked_at_first_and_agreement_never():
    votes = {
        "agree": [True, True, True],
        "split": [True, False, True, False],
        "lone": [True, True, True, False],
        "few": [True, False, None],
        "nobody": [None, None],
    }
    assert most_informative(votes) == ["split", "few", "lone"]

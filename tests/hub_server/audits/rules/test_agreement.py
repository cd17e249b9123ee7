import random

import krippendorff
import numpy as np
import pytest

from hub_server.audits.rules.agreement import krippendorff_alpha, measure_agreement
from scripts.simulate_agreement import coverage

FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
THREE_CODERS = [
    [None, None, None, None, None, 3, 4, 1, 2, 1, 1, 3, 3, None, 3],
    [1, None, 2, 1, 3, 3, 4, 3, None, None, None, None, None, None, None],
    [None, None, 2, 1, 3, 4, 4, None, 2, 1, 1, 3, 3, None, 4],
]


def units_of(table):
    return [[row[unit] for row in table if row[unit] is not None] for unit in range(len(table[0]))]


@pytest.mark.parametrize(
    ("table", "alpha"),
    [
        # Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: nominal data of four observers.
        (FOUR_OBSERVERS, 0.743),
        # The worked example of three coders and fifteen units in the encyclopaedias, nominal metric.
        (THREE_CODERS, 0.691),
    ],
)
def test_alpha_of_the_worked_examples(table, alpha):
    assert krippendorff_alpha(units_of(table)) == pytest.approx(alpha, abs=5e-4)


@pytest.mark.parametrize("seed", range(20))
def test_alpha_is_that_of_the_reference_implementation(seed):
    """Random tables with gaps, against the `krippendorff` package."""
    chance = random.Random(seed)
    table = [[chance.choice([0, 1, 1, None]) for _ in range(chance.randint(6, 30))] for _ in range(1)]
    table += [
        [chance.choice([value if value is not None else 0, 1, 0, None]) for value in table[0]]
        for _ in range(chance.randint(1, 4))
    ]
    matrix = np.array([[np.nan if value is None else value for value in row] for row in table], dtype=float)
    expected = krippendorff.alpha(matrix, level_of_measurement="nominal", value_domain=[0, 1])
    assert krippendorff_alpha(units_of(table)) == pytest.approx(expected, abs=1e-12)


def test_perfect_agreement_is_one_and_systematic_disagreement_is_below_zero():
    assert krippendorff_alpha([["a", "a"], ["b", "b", "b"]]) == 1.0
    assert krippendorff_alpha([["a", "b"]] * 10) < 0


@pytest.mark.parametrize("units", [[], [["a"]], [["a", "a"], ["a", "a"]]])
def test_without_pairs_or_variety_there_is_no_alpha(units):
    assert krippendorff_alpha(units) is None


def answers_of(table):
    return [
        (f"unit-{unit}", f"person-{person}", str(value))
        for person, row in enumerate(table)
        for unit, value in enumerate(row)
        if value is not None
    ]


def test_agreement_counts_people_and_units_and_says_how_sure_it_is():
    found = measure_agreement(answers_of(FOUR_OBSERVERS))
    assert found.alpha == pytest.approx(0.743, abs=5e-4)
    assert (found.annotators, found.units, found.labels) == (4, 11, 41)  # the twelfth unit has one label only
    assert found.low < found.alpha < found.high <= 1.0
    assert measure_agreement(answers_of(FOUR_OBSERVERS)) == found  # seeded


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    """60 simulated packages, people right with 0.85: alpha's true value is (1 - 2·0.15)² = 0.49 at even classes."""
    chance, hits = random.Random(3), 0
    for _ in range(60):
        truth = [chance.choice("ab") for _ in range(80)]
        answers = [
            (str(unit), str(person), right if chance.random() < 0.85 else "ab".replace(right, ""))
            for unit, right in enumerate(truth)
            for person in range(3)
        ]
        found = measure_agreement(answers)
        hits += found.low <= 0.49 <= found.high
    assert hits >= 51


def test_one_unit_or_one_voice_has_no_interval():
    assert measure_agreement([("u", "a", "x"), ("u", "b", "y")]).low is None
    alone = measure_agreement([("u", "a", "x"), ("v", "a", "y")])
    assert (alone.alpha, alone.low, alone.annotators, alone.units) == (None, None, 0, 0)


def test_few_questions_have_an_alpha_and_no_interval():
    """A bootstrap over five questions holds the truth 60 times in 100: such an interval is not shown."""
    answers = [(str(unit), who, "ab"[unit % 2]) for unit in range(9) for who in ("p", "q")] + [("0", "r", "b")]
    few = measure_agreement(answers)
    assert few.alpha is not None
    assert (few.low, few.high) == (None, None)
    more = measure_agreement([*answers, ("9", "p", "a"), ("9", "q", "b")])
    assert more.low < more.alpha < more.high


def test_an_interval_over_few_questions_is_too_narrow_which_is_why_ten_are_needed():
    assert coverage(questions=5, runs=40) < 0.75 < coverage(questions=30, runs=40)

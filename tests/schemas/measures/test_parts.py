"""Parts that pull a letter down: the test behind it, and what is too little to pull."""

import pytest
from scipy.stats import binom

from schemas.audit import Grade
from schemas.measures.confusion import Outcome, measure
from schemas.measures.intervals import rate
from schemas.measures.parts import Part, certain_pulls, chance_of_so_many, parts_of


@pytest.mark.parametrize(("errors", "tries", "bound"), [(1, 3, 0.01), (12, 12, 0.3), (5, 400, 0.01), (40, 200, 0.1)])
def test_the_tail_is_the_binomial_one(errors, tries, bound):
    assert chance_of_so_many(errors, tries, bound) == pytest.approx(binom.sf(errors - 1, tries, bound))
    assert chance_of_so_many(errors - 0.5, tries - 0.5, bound) >= chance_of_so_many(errors, tries, bound)


def test_a_part_is_pulled_to_the_worst_band_that_is_certain():
    [pull] = certain_pulls(Grade.A, [Part("tag:x", "fpr", rate(12, 60), 12, 60)])
    assert (pull.grade, pull.errors, pull.cases) == (Grade.D, 12, 60)
    assert certain_pulls(Grade.D, [Part("tag:x", "fpr", rate(12, 60), 12, 60)]) == []
    assert certain_pulls(Grade.A, [Part("tag:x", "fpr", rate(4, 4), 4, 4)]) == [], "too few to say anything"


def test_both_sides_of_a_measurement_are_parts_where_they_have_cases():
    found = parts_of({"origin:held": measure([Outcome(True, True)] * 3)})
    assert [(part.name, part.side, part.errors, part.cases) for part in found] == [("origin:held", "fnr", 0, 3)]

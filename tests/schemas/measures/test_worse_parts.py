"""Parts that lower a grade: the test behind it, and what is too little for it."""

import pytest
from scipy.stats import binom

from schemas.evidence.rates import Grade
from schemas.measures.confusion import Outcome, measure
from schemas.measures.intervals import rate
from schemas.measures.worse_parts import Part, chance_of_so_many, parts_of, worse_parts


@pytest.mark.parametrize(("errors", "tries", "bound"), [(1, 3, 0.01), (12, 12, 0.3), (5, 400, 0.01), (40, 200, 0.1)])
def test_the_tail_is_the_binomial_one(errors, tries, bound):
    assert chance_of_so_many(errors, tries, bound) == pytest.approx(binom.sf(errors - 1, tries, bound))
    assert chance_of_so_many(errors - 0.5, tries - 0.5, bound) >= chance_of_so_many(errors, tries, bound)


def test_a_part_gets_the_worst_band_that_is_certain():
    [worse] = worse_parts(Grade.A, [Part("tag:x", "fpr", rate(12, 60), 12, 60)])
    assert (worse.grade, worse.errors, worse.cases) == (Grade.D, 12, 60)
    assert worse_parts(Grade.D, [Part("tag:x", "fpr", rate(12, 60), 12, 60)]) == []
    assert worse_parts(Grade.A, [Part("tag:x", "fpr", rate(4, 4), 4, 4)]) == [], "too few to say anything"


def test_both_sides_of_a_measurement_are_parts_where_they_have_cases():
    found = parts_of({"origin:held": measure([Outcome(True, True)] * 3)})
    assert [(part.name, part.side, part.errors, part.cases) for part in found] == [("origin:held", "fnr", 0, 3)]


def part(name, errors, cases, side="fpr"):
    return Part(name, side, rate(errors, cases), errors, cases)


def test_no_number_of_sound_parts_pulls_anything():
    sound = [part(f"tag:{number}", 0, 200) for number in range(500)]
    assert worse_parts(Grade.A, sound) == []


def test_many_parts_cost_certainty_and_few_do_not():
    """Holm's correction: what is certain among three is not among three hundred."""
    bad = part("origin:held", 4, 40)
    few, many = ([part(f"origin:x{number}", 0, 40) for number in range(count)] for count in (2, 3000))
    assert [worse.name for worse in worse_parts(Grade.A, [bad, *few])] == ["origin:held"]
    assert worse_parts(Grade.A, [bad, *many]) == []


def test_an_authors_tags_do_not_hide_what_others_found():
    bad = part("origin:held", 4, 40)
    tags = [part(f"tag:{number}", 0, 40) for number in range(3000)]
    assert [worse.name for worse in worse_parts(Grade.A, [bad, *tags])] == ["origin:held"]
    clusters = [part(f"cluster:{number}", 0, 40) for number in range(3000)]
    assert [worse.name for worse in worse_parts(Grade.A, [bad, *clusters])] == ["origin:held"]


def test_the_worst_comes_first_and_each_side_once():
    bad = [part("tag:a", 30, 60), part("tag:b", 60, 60), part("tag:b", 20, 60, "fnr")]
    found = worse_parts(Grade.A, bad)
    assert [(worse.name, worse.side) for worse in found] == [("tag:a", "fpr"), ("tag:b", "fpr"), ("tag:b", "fnr")]
    assert [worse.grade for worse in found] == [Grade.F, Grade.F, Grade.D]
    assert worse_parts(Grade.A, bad[::-1]) == found, "the order of the parts says nothing"


def test_nothing_pulls_up():
    sound = [part("origin:held", 0, 5000)]
    for letter in Grade:
        assert worse_parts(letter, sound) == []


def test_what_was_not_measured_gets_only_what_is_certainly_worst():
    assert worse_parts(Grade.UNMEASURED, [part("probe:x", 12, 60)]) == []
    [worse] = worse_parts(Grade.UNMEASURED, [part("probe:x", 60, 60)])
    assert worse.grade is Grade.F


def test_cases_that_are_alike_count_as_few():
    """Sixty cases of three forms are three tries, and three tries lower nothing."""
    alike = rate(60, 60).model_copy(update={"tries": 3.0, "clusters": 3, "alike": "forms"})
    assert worse_parts(Grade.A, [Part("tag:x", "fpr", alike, 60, 60)]) == []


@pytest.mark.parametrize(("errors", "tries"), [(0, 10), (0.4, 10), (-1, 10)])
def test_no_whole_error_is_no_evidence(errors, tries):
    assert chance_of_so_many(errors, tries, 0.01) == 1.0


def test_more_errors_are_less_likely_by_chance():
    chances = [chance_of_so_many(errors, 100, 0.1) for errors in range(1, 60)]
    assert chances == sorted(chances, reverse=True)
    assert all(0 <= chance <= 1 for chance in chances)

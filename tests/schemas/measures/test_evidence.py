"""The letter, from the side of somebody who wants a better one, and of somebody who wants to sink one."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from schemas.evidence.cases import Origin
from schemas.evidence.rates import Grade, RewardValues
from schemas.measures.confusion import Outcome, measure
from schemas.measures.evidence import grade_evidence, without_all_probes
from schemas.measures.grades import at_most
from schemas.measures.intervals import rate
from schemas.measures.seen import FEWEST_ALONE, Seen
from schemas.measures.worse_parts import Part, parts_of
from scripts.simulate_dilution import gained, gained_by_suite


def side(must, origin, right, wrong=0, unjudged=0, *, first=True, ours=False):
    accepted = [must] * right + [not must] * wrong + [None] * unjudged
    return [Seen(Outcome(must, one), origin, first, ours) for one in accepted]


def both(origin, right, wrong=0, unjudged=0, **options):
    return side(True, origin, right, wrong, unjudged, **options) + side(
        False, origin, right, wrong, unjudged, **options
    )


def two_owners(first, second=130):
    """Drawn by two owners, all judged rightly."""
    return both(Origin.HELD, first) + [
        replace(one, suite="bo/numbers", owner="bo") for one in both(Origin.SUITE, second)
    ]


def letter(seen, parts=(), values=None):
    return grade_evidence(seen, parts, values)


def test_the_authors_cases_alone_earn_a_hollow_c_however_many_they_are():
    grade, found = letter(both(Origin.AUTHOR, 5000))
    assert (grade, found.is_hollow, found.independent) == (Grade.C, True, None)
    assert found.missing
    assert letter(both(Origin.AUTHOR, 20))[0] is Grade.D
    assert letter([])[0] is Grade.UNMEASURED


def test_too_few_cases_are_unrated_unless_a_part_is_certainly_in_f():
    """A library's package whose right cases had one form stood in F with not one wrong verdict."""
    one_form = [replace(one, outcome=replace(one.outcome, groups=(None, "form"))) for one in both(Origin.AUTHOR, 40)]
    grade, found = letter(one_form)
    assert grade is Grade.UNMEASURED
    assert found.missing[0].startswith(
        "More wrong answers: there are 40, alike in 1 form, and any grade takes at least 9"
    )
    failing = [Part("probe:empty", "fpr", rate(12, 12), 12, 12)]
    assert letter(one_form, failing)[0] is Grade.F, "whoever leaves out cases hides no family that certainly fails"
    assert letter(one_form, [Part("probe:empty", "fpr", rate(3, 12), 3, 12)])[0] is Grade.UNMEASURED


def test_independent_evidence_earns_what_it_proves():
    grade, found = letter(both(Origin.AUTHOR, 20) + two_owners(270))
    assert (grade, found.is_hollow) == (Grade.A, False)
    assert letter(both(Origin.SUITE, 130))[0] is Grade.B


def test_without_a_first_look_the_letter_is_at_most_b():
    grade, found = letter(both(Origin.SUITE, 1000, first=False))
    assert grade is Grade.B
    assert "could not know" in found.capped[0]


def test_thin_independent_evidence_does_not_take_a_c_away_but_is_shown():
    """Three cases of strangers prove nothing against 400 of the author's."""
    grade, found = letter(both(Origin.AUTHOR, 400) + both(Origin.COMMUNITY, 3))
    assert (grade, found.is_hollow) == (Grade.C, True)
    assert found.independent is not None


def test_a_package_that_answers_null_on_half_of_the_cases_is_in_f():
    assert letter(both(Origin.HELD, 400, unjudged=400))[0] is Grade.F


def test_rewards_that_hardly_differ_are_no_verifier():
    seen = two_owners(270)
    assert letter(seen, values=RewardValues(right=1.0, wrong=0.999, overlap=0.0))[0] is Grade.F
    assert letter(seen, values=RewardValues(right=0.8, wrong=0.5, overlap=0.1))[0] is Grade.D
    assert letter(seen, values=RewardValues(right=0.9, wrong=0.2, overlap=0.0))[0] is Grade.A


def test_easy_cases_cannot_dilute_hard_ones():
    """Twenty seconded counter-examples, all wrong, under 5,000 easy cases of a suite: 0.4 % when pooled."""
    seen = both(Origin.SUITE, 5000) + side(False, Origin.COMMUNITY, 0, 20)
    parts = parts_of({"origin:community": measure([one.outcome for one in seen if one.origin is Origin.COMMUNITY])})
    grade, found = letter(seen, parts)
    assert grade is Grade.F
    assert (found.pulled[0].name, found.pulled[0].side, found.pulled[0].errors) == ("origin:community", "fpr", 20)


def test_three_bad_cases_do_not_sink_a_letter():
    parts = [Part(f"tag:{n}", "fpr", rate(0, 40), 0, 40) for n in range(60)]
    few = [*parts, Part("tag:few", "fpr", rate(3, 3), 3, 3)]
    assert letter(both(Origin.HELD, 400), few)[0] in (Grade.A, Grade.B)
    many = [*parts, Part("tag:many", "fpr", rate(12, 12), 12, 12)]
    assert letter(both(Origin.HELD, 400), many)[0] is Grade.F


def test_honest_parts_lower_a_grade_less_often_than_the_level_says():
    """Forty parts whose true rate is exactly 1 %: at most 2.5 in 100 audits may lose their A by chance."""
    random, lowered, draws = np.random.default_rng(5), 0, 400
    seen = two_owners(270)
    for _ in range(draws):
        errors = random.binomial(60, 0.01, 40)
        parts = [Part(f"tag:{n}", "fpr", rate(int(one), 60), int(one), 60) for n, one in enumerate(errors)]
        lowered += letter(seen, parts)[0] is not Grade.A
    assert lowered <= binom.ppf(0.999, draws, 0.025)


def test_no_case_is_no_letter():
    assert at_most(Grade.UNMEASURED, Grade.B) is Grade.UNMEASURED
    one_sided, found = letter(side(True, Origin.AUTHOR, 800))
    assert one_sided is Grade.UNMEASURED
    assert found.missing


def test_a_thousand_tags_of_an_authors_cases_hide_no_origin_that_is_certainly_worse():
    """Holm's correction over all parts turned a D into a C: six of ten counter-examples under 1,000 tags."""
    tags = {f"tag:t{n}": measure([Outcome(False, False)] * 20) for n in range(1000)}
    bad = {"origin:community": measure([Outcome(False, n < 6) for n in range(10)])}
    found = [letter(both(Origin.HELD, 400), parts_of(bad | more))[0] for more in ({}, tags)]
    assert found == [Grade.D, Grade.D]


@pytest.mark.parametrize("own", [0, 400, 5000])
def test_however_many_cases_of_their_own_authors_have_they_dilute_nothing_that_others_found(own):
    """42 of 150 wrong (at most 36 %) were a D with 386 easy cases beside them: errors of others' cases made it hollow."""
    found = side(True, Origin.HELD, 150) + side(False, Origin.HELD, 108, 42)
    assert letter(both(Origin.AUTHOR, own) + found)[0] is Grade.F


def test_each_side_is_judged_by_others_cases_as_soon_as_there_are_twenty():
    """Four of 19 wrong disappear in 400 of the author's (and the grade is hollow); four of 20 do not."""
    found = {}
    for count in (FEWEST_ALONE - 1, FEWEST_ALONE):
        seen = both(Origin.AUTHOR, 400) + side(True, Origin.HELD, 9) + side(False, Origin.HELD, count - 4, 4)
        grade, grading = letter(seen)
        found[count] = (grade, grading.is_hollow, grading.reads.fp + grading.reads.tn, grading.reads.tp)
    assert found == {19: (Grade.C, True, 419, 409), 20: (Grade.F, True, 20, 409)}


@pytest.mark.parametrize("size", [20, 34, 50, 124])
@pytest.mark.parametrize("rate_", [0.11, 0.2, 0.35])
def test_an_author_who_adds_easy_cases_gains_no_letter(size, rate_):
    """A true rate of 20 % beside 50 independent cases had a C in 71 of 100 audits (simulate_dilution.py)."""
    found = gained(size, rate_, draws=300, easy=400)
    assert found.diluted <= 0.05
    assert found.diluted == found.plain


def test_too_few_cases_of_others_leave_the_grade_hollow_and_few_errors_sink_nobody():
    few = side(True, Origin.HELD, 18) + side(False, Origin.HELD, 17, 1)
    grade, found = letter(both(Origin.AUTHOR, 400) + few)
    assert (grade, found.is_hollow) == (Grade.C, True)
    many = side(True, Origin.HELD, 130) + side(False, Origin.HELD, 126, 4)
    grade, found = letter(both(Origin.AUTHOR, 400) + many)
    assert (grade, found.is_hollow) == (Grade.C, False)


def drawn(must, origin, suite, right, wrong=0):
    return [replace(one, suite=suite) for one in side(must, origin, right, wrong)]


def test_an_easy_suite_of_somebody_else_dilutes_nothing_that_a_harder_one_finds():
    """Seven of 60 wrong beside 500 easy ones were 1.2 %: a B for a verifier that is wrong on one in nine."""
    hard = drawn(False, Origin.SUITE, "suites/hard", 53, 7)
    easy = drawn(False, Origin.SUITE, "friends/easy", 500) + drawn(True, Origin.SUITE, "friends/easy", 500)
    grade, found = letter(hard + easy)
    assert grade is Grade.D
    assert (found.reads.fp, found.reads.tn) == (7, 53)
    [said] = found.capped
    assert said.startswith(
        "Wrong answers of suites/hard (7 of 60) are surely accepted more often than others (0 of 500)"
    )


def test_a_suite_known_by_heart_hides_nothing_that_its_held_cases_find():
    known = drawn(True, Origin.SUITE, "suites/a", 250) + drawn(False, Origin.SUITE, "suites/a", 250)
    held = drawn(True, Origin.HELD, "suites/a", 130, 20) + drawn(False, Origin.HELD, "suites/a", 150)
    grade, found = letter(known + held)
    assert grade is Grade.D
    assert found.capped[0].startswith("Right answers of suites/a that the hub holds (20 of 150) are surely rejected")


def test_sources_that_differ_by_chance_are_pooled():
    seen = drawn(True, Origin.HELD, "a", 150) + drawn(False, Origin.HELD, "a", 149, 1)
    seen += drawn(True, Origin.SUITE, "a", 250) + drawn(False, Origin.SUITE, "a", 250)
    grade, found = letter(seen)
    assert (grade, found.reads.tn + found.reads.fp, found.capped) == (Grade.B, 400, [])


def test_counter_examples_are_no_source_since_people_chose_them_for_failing():
    """Ten that were seconded, all wrong, worse as a part; they are no sample, so they do not decide a side alone."""
    seen = both(Origin.HELD, 400) + side(False, Origin.COMMUNITY, 15, 10)
    assert letter(seen)[1].reads.tn == 415


@pytest.mark.parametrize(
    ("size", "rate_", "most"), [(75, 0.11, 0.05), (124, 0.05, 0.1), (35, 0.15, 0.1), (150, 0.11, 0.02)]
)
def test_a_friend_with_an_easy_suite_gains_little(size, rate_, most):
    assert gained_by_suite(size, rate_, 400).diluted <= most


def test_a_source_beside_the_others_dilutes_nothing_and_decides_where_it_is_surely_worse():
    seen = both(Origin.HELD, 150)
    bare = [replace(one, suite="bare") for one in side(False, Origin.SUITE, 60)]
    assert grade_evidence(seen, (), None, bare) == grade_evidence(seen, (), None)
    bad = [replace(one, suite="bare") for one in side(False, Origin.SUITE, 38, 22)]
    letter_, found = grade_evidence(seen, (), None, bad)
    assert letter_ is Grade.F
    assert "bare (22 of 60)" in found.capped[0]
    few = [replace(one, suite="bare") for one in side(False, Origin.SUITE, 18, 1)]
    assert grade_evidence(seen, (), None, few)[0] is Grade.B, "one error of nineteen proves nothing"


def test_two_new_cases_beside_a_published_suite_that_is_known_by_heart_make_no_a():
    known = both(Origin.SUITE, 500, first=False)
    grade, found = letter(known + both(Origin.HELD, 1))
    assert grade is Grade.B
    assert "fewer than 20 cases a side" in found.capped[0]
    assert "Fewer than 20 cases a side that the author could not know" in found.missing[0]
    assert letter(known + side(True, Origin.HELD, 400) + side(False, Origin.HELD, 19))[0] is Grade.B
    another = [replace(one, suite="bo/numbers", owner="bo") for one in both(Origin.SUITE, 130, first=False)]
    assert letter(known + another + both(Origin.HELD, FEWEST_ALONE))[0] is Grade.A


def test_where_the_time_was_used_up_before_all_probes_were_judged_the_letter_is_at_most_c():
    grade, found = without_all_probes(*letter(two_owners(270)))
    assert grade is Grade.C
    assert [words for words in found.capped if "time was used up" in words]
    for worse in (both(Origin.SUITE, 20), []):
        assert without_all_probes(*letter(worse)) == letter(worse)

"""What an audit saw, from the side of a package that would rather not answer."""

from schemas.evidence.cases import Origin
from schemas.measures.confusion import Outcome, measure
from schemas.measures.seen import Seen, unjudged_words, with_unjudged, worth


def both(right, unjudged=0, *, ours=False, origin=Origin.HELD, suite=""):
    return [
        Seen(Outcome(must, accepted), origin, is_ours=ours, suite=suite)
        for must in (True, False)
        for accepted in [must] * right + [None] * unjudged
    ]


def test_what_was_not_judged_beyond_two_in_a_hundred_counts_as_wrong():
    """The package that answers null on every hard case: 800 of 1,600 were not judged beside an A."""
    assert measure(with_unjudged(both(400, unjudged=400))).fn == 400 - 16
    assert measure(with_unjudged(both(98, unjudged=2))).fn == 0
    assert measure(with_unjudged(both(400, unjudged=400, ours=True))).fn == 0, "our own faults say nothing"


def test_drawn_cases_have_a_source_and_chosen_ones_have_none():
    names = {origin: both(1, origin=origin, suite="al/sums")[0].source for origin in Origin}
    assert (names[Origin.SUITE], names[Origin.HELD]) == ("al/sums", "al/sums that the hub holds")
    assert {names[one] for one in Origin if one not in (Origin.SUITE, Origin.HELD)} == {""}


def test_alike_cases_are_worth_one():
    assert worth([Seen(Outcome(True, True), Origin.HELD) for _ in range(30)]) == 30
    assert worth([Seen(Outcome(True, True, (None, "form")), Origin.HELD) for _ in range(30)]) == 1


def test_that_unjudged_cases_are_among_the_errors_is_said_where_they_are():
    seen = both(0, unjudged=10)
    overall, graded = measure([one.outcome for one in seen]), measure(with_unjudged(seen))
    told = unjudged_words(overall, graded, 20)
    assert told == "20 of 20 cases could not be judged: beyond 2 % of a side they count as errors."
    assert not unjudged_words(overall, overall, 20)

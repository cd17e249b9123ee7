"""A first look stands beside what the release shows on cases that were there before it."""

from schemas.evidence.cases import Origin
from schemas.measures.confusion import Outcome, measure
from schemas.measures.evidence import grade_evidence
from schemas.measures.first_look_words import first_look_words
from schemas.measures.seen import Seen


def seen(origin: Origin, accepted: int, wrong: int, *, first: bool) -> list[Seen]:
    """``wrong`` wrong answers of which so many were accepted, and as many right ones, all accepted."""
    outcomes = [Outcome(must_accept=False, accepted=n < accepted) for n in range(wrong)]
    outcomes += [Outcome(must_accept=True, accepted=True)] * wrong
    return [Seen(outcome, origin, first) for outcome in outcomes]


def test_both_are_said_where_both_exist() -> None:
    """The author's own cases, at 0 %, stand in neither."""
    cases = seen(Origin.HELD, 21, 100, first=True) + seen(Origin.SUITE, 9, 100, first=False)
    _, found = grade_evidence(cases + seen(Origin.AUTHOR, 0, 500, first=False), (), None)
    assert first_look_words(found.first_look, found.known) == (
        "First look: 21.0 % of wrong answers accepted, 0.0 % of right ones rejected, on 200 cases that its author could "
        "not know. After correction: 9.0 % of wrong answers accepted, 0.0 % of right ones rejected, on 200 others that "
        "were there before the release."
    )


def test_without_a_first_look_on_both_sides_nothing_is_said() -> None:
    one_side = measure([Outcome(must_accept=False, accepted=False)] * 9)
    both = measure([Outcome(must, must) for must in (True, False)])
    assert first_look_words(None, both) == ""
    assert first_look_words(one_side, both) == ""
    assert first_look_words(both, one_side) == first_look_words(both, None) != ""

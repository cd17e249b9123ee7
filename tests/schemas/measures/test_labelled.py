"""Labels that nobody else confirms: they move no rate out of the interval that it has without them."""

from random import Random

import pytest

from schemas.evidence.cases import Origin
from schemas.measures.confusion import Outcome, measure
from schemas.measures.labelled import most_errors
from schemas.measures.seen import Seen


def of(origin: Origin, cases: int, errors: int = 0) -> list[Seen]:
    """Answers that must be rejected, the first of them accepted."""
    return [Seen(Outcome(False, number < errors), origin) for number in range(cases)]


@pytest.mark.parametrize(
    ("beside", "labelled", "most"),
    [
        (of(Origin.SUITE, 400), 30, 1),
        (of(Origin.SUITE, 400, 20), 100, 7),
        (of(Origin.SUITE, 40, 4), 20, 4),
        ([], 20, 20),
        (of(Origin.AUTHOR, 10), 20, 5),
    ],
    ids=["no error", "20 of 400", "4 of 40", "nothing beside", "ten of the author's"],
)
def test_as_many_errors_count_as_the_other_evidence_leaves_open(beside: list[Seen], labelled: int, most: int) -> None:
    assert most_errors(beside, labelled) == most


def test_the_authors_easy_cases_explain_nothing_where_others_are_enough() -> None:
    theirs = of(Origin.HELD, 40, 8)
    assert most_errors([*theirs, *of(Origin.AUTHOR, 4000)], 50) == most_errors(theirs, 50) == 17


def test_labels_do_not_explain_each_other_and_what_was_not_judged_explains_nothing() -> None:
    plain = of(Origin.SUITE, 400)
    unjudged = [Seen(Outcome(False, None), Origin.SUITE) for _ in range(100)]
    assert most_errors([*plain, *of(Origin.ROLLOUT, 100, 60), *unjudged], 100) == most_errors(plain, 100)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.3])
@pytest.mark.parametrize("cases", [25, 100, 400])
def test_no_number_of_labels_moves_a_rate_out_of_its_interval(cases: int, share: float) -> None:
    """Thirty lies by two accounts counted, all of them, and so would three hundred."""
    draw = Random(f"{cases} {share}")
    for _ in range(20):
        beside = of(Origin.SUITE, cases, sum(draw.random() < share for _ in range(cases)))
        before = measure(one.outcome for one in beside).fpr
        for labelled in (1, 5, 30, 300, 3000):
            lies = most_errors(beside, labelled)
            after = measure(one.outcome for one in [*beside, *of(Origin.ROLLOUT, labelled, lies)]).fpr
            assert after.value is not None
            assert after.value - (before.value or 0) < before.high - before.low
            assert after.value <= max(before.high, 2 / cases)

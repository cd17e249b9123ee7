"""Labels that nobody else confirms: they move no rate out of the interval that it has without them."""

from random import Random

import pytest

from schemas.evidence.cases import Origin
from schemas.measures.confusion import Outcome, measure
from schemas.measures.labelled import most_errors
from schemas.measures.seen import Seen


def most(beside: list[Seen], labelled: int) -> int:
    """Where every labelled answer is like no other, and an error."""
    return most_errors(beside, [()] * labelled, [()] * labelled)


def of(origin: Origin, cases: int, errors: int = 0) -> list[Seen]:
    """Answers that must be rejected, the first of them accepted."""
    return [Seen(Outcome(False, number < errors), origin) for number in range(cases)]


@pytest.mark.parametrize(
    ("beside", "labelled", "explained"),
    [
        (of(Origin.SUITE, 400), 30, 1),
        (of(Origin.SUITE, 400, 20), 100, 7),
        (of(Origin.SUITE, 40, 4), 20, 4),
        ([], 20, 20),
        (of(Origin.AUTHOR, 10), 20, 5),
    ],
    ids=["no error", "20 of 400", "4 of 40", "nothing beside", "ten of the author's"],
)
def test_as_many_errors_count_as_the_other_evidence_leaves_open(
    beside: list[Seen], labelled: int, explained: int
) -> None:
    assert most(beside, labelled) == explained


def test_the_authors_easy_cases_explain_nothing_where_others_are_enough() -> None:
    theirs = of(Origin.HELD, 40, 8)
    assert most([*theirs, *of(Origin.AUTHOR, 4000)], 50) == most(theirs, 50) == 17


def test_labels_do_not_explain_each_other_and_what_was_not_judged_explains_nothing() -> None:
    plain = of(Origin.SUITE, 400)
    unjudged = [Seen(Outcome(False, None), Origin.SUITE) for _ in range(100)]
    assert most([*plain, *of(Origin.ROLLOUT, 100, 60), *unjudged], 100) == most(plain, 100)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.3])
@pytest.mark.parametrize("cases", [25, 100, 400])
def test_no_number_of_labels_moves_a_rate_out_of_its_interval(cases: int, share: float) -> None:
    """Thirty lies by two accounts counted, all of them, and so would three hundred."""
    draw = Random(f"{cases} {share}")
    for _ in range(20):
        beside = of(Origin.SUITE, cases, sum(draw.random() < share for _ in range(cases)))
        before = measure(one.outcome for one in beside).fpr
        for labelled in (1, 5, 30, 300, 3000):
            lies = most(beside, labelled)
            after = measure(one.outcome for one in [*beside, *of(Origin.ROLLOUT, labelled, lies)]).fpr
            assert after.value is not None
            assert after.value - (before.value or 0) < before.high - before.low
            assert after.value <= max(before.high, 2 / cases)


def unlike(origin: Origin, cases: int, errors: int, name: str) -> list[Seen]:
    """Each with a task and a form of its own; the first ones are errors."""
    return [Seen(Outcome(False, n < errors, (f"{name}{n}", f"form {name}{n}", None)), origin) for n in range(cases)]


def allowed(beside: list[Seen], labels: list[Seen]) -> int:
    return most_errors(
        beside, [one.outcome.groups for one in labels], [one.outcome.groups for one in labels if one.outcome.is_wrong]
    )


@pytest.mark.parametrize(("cases", "errors"), [(400, 0), (400, 8), (50, 0)])
def test_spellings_of_one_answer_make_no_room_for_lies_about_others(cases: int, errors: int) -> None:
    """3,000 labels, nearly all of them of one form and true, let 28 lies count of 400 answers without an error (upper
    end 0.95 %, then 9.3 %), and 214 of 50 (a C, then an F).
    """
    beside = unlike(Origin.SUITE, cases, errors, "t")
    before = measure(one.outcome for one in beside).fpr
    same = [Seen(Outcome(False, False, (f"p{n}", "one form", None)), Origin.ROLLOUT) for n in range(3000)]
    lies = unlike(Origin.ROLLOUT, 300, 300, "x")
    while allowed(beside, [*same, *lies]) < len(lies):
        lies.pop()
    after = measure(one.outcome for one in [*beside, *same, *lies]).fpr
    assert len(lies) <= max(1, before.high * (len(lies) + 1))
    assert after.value is not None
    assert after.value <= before.high


def test_lies_on_the_tasks_of_the_suite_stay_within_what_it_leaves_open() -> None:
    """Where the labels have the suite's tasks, the lies made 17 of its 200 tasks wrong beside the ten that are."""
    beside = [Seen(Outcome(False, n < 10, (f"t{n}", f"f{n}", None)), Origin.SUITE) for n in range(200)]
    labels = [
        Seen(Outcome(False, task < 27, (f"t{task}", f"l{task}.{n}", None)), Origin.ROLLOUT)
        for task in range(10, 200)
        for n in range(20)
    ]
    assert allowed(beside, labels) < 17 * 20
    assert (
        allowed(beside, [one for one in labels if one.outcome.groups[0] in {f"t{n}" for n in (10, *range(27, 200))}])
        >= 20
    )


def test_honest_labels_of_a_few_tasks_count_where_the_verifier_errs_as_on_the_others() -> None:
    """Twenty tasks with five answers each, one in ten of them wrong, as in the suite."""
    beside = unlike(Origin.SUITE, 400, 40, "t")
    labels = [Seen(Outcome(False, n % 10 == 0, (f"x{n // 5}", f"y{n}", None)), Origin.ROLLOUT) for n in range(100)]
    assert allowed(beside, labels) >= 10

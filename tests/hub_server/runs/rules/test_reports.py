"""What a client may send at once: the boundaries themselves, and what lies beyond them."""

import pytest

from hub_server.errors import InvalidRequestError
from hub_server.runs.rules.reports import KINDS, check_count, check_kind, check_number, check_outcome
from schemas.run import RunOutcome


@pytest.mark.parametrize("kind", KINDS)
def test_known_kinds_pass_unchanged(kind: str) -> None:
    assert check_kind(kind) == kind


@pytest.mark.parametrize(("count", "is_fine"), [(0, True), (10, True), (11, False)])
def test_a_batch_may_be_as_large_as_the_limit_and_no_larger(count: int, is_fine: bool) -> None:
    if is_fine:
        check_count(count, 10, "things")
    else:
        with pytest.raises(InvalidRequestError, match="11 things at once; the limit is 10"):
            check_count(count, 10, "things")


@pytest.mark.parametrize("value", [None, 0, 1, 2**31 - 1])
def test_numbers_that_fit_pass(value: int | None) -> None:
    check_number(value, "step")


@pytest.mark.parametrize("value", [-1, 2**31, -(10**40), 10**40])
def test_numbers_that_fit_nowhere_are_refused_by_name(value: int) -> None:
    with pytest.raises(InvalidRequestError, match="step must be 0 to"):
        check_number(value, "step")


def outcome(**more: object) -> RunOutcome:
    fields = {"task_count": 10, "attempts": 20, "successes": 5, "pass_rate": 0.25, "tries": 10.0} | more
    return RunOutcome.model_validate({"environment": "al/env", "version": "1.0", "harness": "h"} | fields)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"pass_rate": 0.4},
        {"pass_rate": None},
        {"attempts": 0, "successes": 0, "tries": 0.0, "pass_rate": None},
        {"successes": 0, "pass_rate": 0.0},
        {"successes": 20, "pass_rate": 1.0},
    ],
)
def test_what_an_evaluation_gives_is_taken(more: dict) -> None:
    """The pass rate is a mean over tasks, and so need not be successes / attempts."""
    check_outcome(outcome(**more))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"tries": 1e9}, "claims 1e.09 independent tries of 20 attempts"),
        ({"successes": 21}, "21 successes of 20 attempts"),
        ({"successes": 0, "pass_rate": 1.0}, "pass rate of 1 with 0 successes"),
        ({"successes": 20, "pass_rate": 0.5}, "pass rate of 0.5 with 20 successes"),
        ({"attempts": 0, "successes": 0, "tries": 0.0, "pass_rate": 1.0}, "of 0 attempts"),
        ({"task_count": 0}, "20 attempts at no task"),
    ],
)
def test_numbers_that_no_evaluation_gives_are_refused(more: dict, words: str) -> None:
    with pytest.raises(InvalidRequestError, match=words):
        check_outcome(outcome(**more))

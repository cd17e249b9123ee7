"""What a client may send at once: the boundaries themselves, and what lies beyond them."""

import pytest

from hub_server.errors import InvalidRequestError
from hub_server.runs.rules.reports import KINDS, check_count, check_kind, check_number


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

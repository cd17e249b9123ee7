"""How many counter-examples accounts of standing make count alone, and that their lies stay inside an interval."""

import pytest

from hub_server.audits.rules.crowd_limit import most_taken_out, most_that_count
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.measures.confusion import Outcome, measure
from schemas.measures.intervals import wilson


def cases(count: int, label: Label, origin: Origin = Origin.SUITE) -> list[AuditCase]:
    task = {"id": "t", "prompt": "?", "answer": 1}
    return [AuditCase(id=f"{origin}{n}", task=task, response="1", label=label, origin=origin) for n in range(count)]


@pytest.mark.parametrize(("count", "most"), [(0, 1), (20, 1), (240, 2), (500, 3), (2000, 3)])
def test_it_grows_with_what_is_known_of_that_side(count: int, most: int) -> None:
    found = most_that_count(cases(count, Label.INCORRECT))
    assert found == {"incorrect": most, "correct": 1}


def test_an_author_raises_it_only_where_the_own_cases_are_what_is_known() -> None:
    own = cases(2000, Label.CORRECT, Origin.AUTHOR)
    assert most_that_count([*own, *cases(19, Label.CORRECT)])["correct"] == 3
    assert most_that_count([*own, *cases(40, Label.CORRECT)])["correct"] == 1


@pytest.mark.parametrize("count", [1, 5, 20, 60, 240, 500, 2000])
@pytest.mark.parametrize("rate", [0.0, 0.02, 0.1, 0.3])
def test_so_many_lies_leave_the_rate_inside_its_interval(count: int, rate: float) -> None:
    errors = round(rate * count)
    lies = most_that_count(cases(count, Label.INCORRECT))["incorrect"]
    assert (errors + lies) / (count + lies) <= wilson(errors, count)[1]


@pytest.mark.parametrize(("count", "most"), [(0, 1), (204, 1), (240, 2), (500, 3), (9000, 3)])
def test_as_few_are_taken_out_as_are_brought_in(count: int, most: int) -> None:
    measured = measure([Outcome(False, False) for _ in range(count)])
    assert (most_taken_out(measured, Label.INCORRECT), most_taken_out(measured, Label.CORRECT)) == (most, 1)
    assert most_taken_out(None, Label.INCORRECT) == 1


@pytest.mark.parametrize("count", [5, 20, 60, 240, 500, 2000])
@pytest.mark.parametrize("errors", [3, 10, 50])
def test_so_many_that_are_taken_out_move_the_rate_by_less_than_its_interval(count: int, errors: int) -> None:
    errors = min(errors, count)
    most = min(errors, most_taken_out(measure([Outcome(False, False) for _ in range(count)]), Label.INCORRECT))
    low, high = wilson(errors, count)
    after = (errors - most) / max(count - most, 1)
    assert errors / count - after < high - low

"""Counter-examples: they travel with their history, and requests about them have bounds."""

import pytest

from schemas.evidence.counter_examples import BatchDispute, CaseEvent, CounterExample, Reason, Ruling
from tests.making.wire import check_wire, refusal

NOW = "2030-01-02T00:00:00Z"
CASE = {"id": "c1", "task_id": "t1", "response": "4", "label": "correct"}


def test_counter_examples_travel_with_their_history() -> None:
    event = {"at": NOW, "by": "bob", "what": "submitted", "label": "correct", "state": "open"}
    check_wire(CaseEvent, event | {"version": "1.0.0", "reason": "r"})
    found = check_wire(
        CounterExample,
        {"id": "x", "package": "al/judge", "case": CASE, "state": "reproduced", "submitted_by": "bob", "submitted_at": NOW,
         "against": "1.0.0", "verdicts": {"1.0.0": {"correct": 0.0, "style": None}}, "history": [event]},
    )  # fmt: skip
    assert isinstance(found, CounterExample)
    assert found.verdicts["1.0.0"] == {"correct": 0.0, "style": None}, "not judged stays null and is no zero"
    assert (found.hidden_reason, found.counted_by, found.fixed_in) == (None, "", None)


@pytest.mark.parametrize(
    ("model", "sent", "field"),
    [
        (BatchDispute, {"reason": ""}, "reason"),
        (BatchDispute, {"cases": ["x"]}, "reason"),
        (BatchDispute, {"reason": "r", "cases": ["x"] * 1001}, "cases"),
        (Reason, {"reason": "x" * 2001}, "reason"),
        (Ruling, {"ruling": "fixed"}, "ruling"),
        (CaseEvent, {"at": NOW, "by": "bob", "what": "deleted", "label": "correct", "state": "open"}, "what"),
    ],
)
def test_requests_about_cases_have_bounds(model, sent, field) -> None:
    assert field in refusal(model, sent)

"""Calls about questions: where each goes, and that no id leads it elsewhere."""

import pytest

from hub_client.transport.requests import labels
from schemas.evidence.labels import Answer, LabelRequest

GIVEN = LabelRequest(answer=Answer.INCORRECT, note="it hedges")


@pytest.mark.parametrize(
    ("call", "method", "path"),
    [
        (labels.next_question(), "GET", "/label/next"),
        (labels.next_question("alice/sums"), "GET", "/label/next"),
        (labels.get_question("q/../x"), "GET", "/label/questions/q%2F..%2Fx"),
        (labels.get_question_of_rollout("r/1", 7), "GET", "/runs/r%2F1/rollouts/7/question"),
        (labels.answer_question("q1", GIVEN), "POST", "/label/questions/q1/labels"),
    ],
)
def test_where_each_call_goes(call, method, path):
    assert (call.method, call.path.removeprefix("/api/v1")) == (method, path)
    assert call.is_repeatable is (method == "GET")

"""Questions to people and what they answered: nobody is led, nothing unsure becomes a label."""

from datetime import UTC, datetime

import pytest

from schemas.evidence.labels import (
    Answer,
    GivenLabel,
    LabelAgreement,
    LabelQuestion,
    LabelRequest,
    NextQuestion,
    QueuedJob,
    VerdictBy,
)
from tests.making.wire import check_wire, refusal

NOW = datetime(2030, 1, 2, tzinfo=UTC).isoformat()
BY = {"by": "al/a@1", "rewards": {"correct": None}, "accepted": None, "acceptance": 0.5}
GIVEN = {"labelled_by": "alice", "answer": "unsure", "note": "", "labelled_at": NOW, "counts": False}
QUESTION = {"id": "q", "package": "al/a", "version": "1.0", "task": {"id": "t"}, "response": "4", "verdicts": [BY], "bits": 0.97, "label_count": 1,
            "state": "open", "created_at": NOW}  # fmt: skip
EXAMPLES = {
    VerdictBy: BY,
    GivenLabel: GIVEN,
    LabelQuestion: QUESTION,
    LabelRequest: {"answer": "correct", "note": "sure"},
    LabelAgreement: {"alpha": None, "low": None, "high": None, "units": 0, "annotators": 1, "labels": 3},
    NextQuestion: {"item": QUESTION, "left": 4},
    QueuedJob: {"job": "j"},
}


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.__name__)
def test_it_travels(model) -> None:
    check_wire(model, EXAMPLES[model])


def test_who_has_not_answered_sees_no_labels_and_that_differs_from_nobody_answered() -> None:
    assert LabelQuestion.model_validate(QUESTION).labels is None
    assert LabelQuestion.model_validate(QUESTION | {"labels": []}).labels == []
    assert LabelQuestion.model_validate(QUESTION).my_answer is None


def test_cannot_tell_is_an_answer_and_never_an_agreed_label() -> None:
    assert LabelRequest.model_validate({"answer": "unsure"}).answer is Answer.UNSURE
    assert "agreed_label" in refusal(LabelQuestion, QUESTION | {"agreed_label": "unsure"})


@pytest.mark.parametrize("answer", ["yes", "", None, True, "CORRECT"])
def test_other_answers_are_refused(answer: object) -> None:
    assert "answer" in refusal(LabelRequest, {"answer": answer})


def test_a_note_has_a_length() -> None:
    assert LabelRequest.model_validate({"answer": "correct", "note": "x" * 2000})
    assert "note" in refusal(LabelRequest, {"answer": "correct", "note": "x" * 2001})


def test_agreement_without_two_people_is_unknown_and_not_zero() -> None:
    assert LabelAgreement.model_validate(EXAMPLES[LabelAgreement]).alpha is None
    assert "alpha" in refusal(LabelAgreement, EXAMPLES[LabelAgreement] | {"alpha": float("nan")})


def test_no_question_left() -> None:
    assert NextQuestion(item=None, left=0).item is None
    assert "state" in refusal(LabelQuestion, QUESTION | {"state": "closed"})

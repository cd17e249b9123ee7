"""Comparisons of verifiers, neighbours and wishes for them, as they travel."""

from datetime import UTC, datetime

import pytest

from schemas.comparison import (
    ComparisonRecord,
    ComparisonRequest,
    Disagreement,
    Neighbour,
    Neighbours,
    RewardDistance,
    VerifierComparison,
)
from tests.making.wire import check_wire, refusal

NOW = datetime(2030, 1, 2, tzinfo=UTC).isoformat()
APART = {"case": "c1", "label": "correct", "first": True, "second": None, "first_rewards": {"correct": 1.0}, "second_rewards": {"correct": None},
         "sides_with": "first"}  # fmt: skip
FOUND = {"first": "al/a@1", "second": "al/b@1", "case_count": 3, "counts": {"accepted/null": 1, "accepted/accepted": 2}, "kappa": None,
         "agreement": {"value": None, "low": 0.0, "high": 1.0}, "distance": {"value": 0.2, "low": 0.1, "high": 0.3}, "disagreements": [APART]}  # fmt: skip
RECORD = {
    "id": "x",
    "left": "al/a@1",
    "right": "al/b@1",
    "state": "done",
    "created_at": NOW,
    "finished_at": NOW,
    "result": FOUND,
}
NEXT_TO = {
    "package": "al/b",
    "version": "1",
    "behaves_alike": True,
    "judged": 50,
    "agreed": 50,
    "source_similarity": 0.9,
    "found_at": NOW,
}
EXAMPLES = {
    Disagreement: APART,
    RewardDistance: FOUND["distance"],
    VerifierComparison: FOUND,
    ComparisonRecord: RECORD,
    ComparisonRequest: {"left": "al/a", "right": "al/b@1.2.0", "again": True},
    Neighbour: NEXT_TO,
    Neighbours: {"items": [NEXT_TO]},
}


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.__name__)
def test_it_travels(model) -> None:
    check_wire(model, EXAMPLES[model])


def test_not_judged_is_neither_accepted_nor_rejected() -> None:
    found = Disagreement.model_validate_json(Disagreement.model_validate(APART).model_dump_json())
    assert (found.first, found.second) == (True, None)
    assert found.second_rewards == {"correct": None}


def test_an_unknown_kappa_is_null_and_not_a_number_that_means_nothing() -> None:
    assert VerifierComparison.model_validate(FOUND).kappa is None
    assert "kappa" in refusal(VerifierComparison, FOUND | {"kappa": float("nan")})
    assert "distance" in refusal(VerifierComparison, FOUND | {"distance": {"value": float("nan"), "low": 0, "high": 1}})


@pytest.mark.parametrize("side", ["third", "", "both"])
def test_a_label_sides_with_one_or_neither(side: str) -> None:
    assert "sides_with" in refusal(Disagreement, APART | {"sides_with": side})


def test_a_reference_in_a_request_has_a_length() -> None:
    assert "left" in refusal(ComparisonRequest, {"left": "x" * 301, "right": "al/b"})
    assert "right" in refusal(ComparisonRequest, {"left": "al/a", "right": "x" * 301})


def test_a_comparison_that_waits_has_no_result_and_one_that_failed_says_why() -> None:
    assert (
        ComparisonRecord.model_validate(RECORD | {"state": "queued", "result": None, "finished_at": None}).result
        is None
    )
    assert "state" in refusal(ComparisonRecord, RECORD | {"state": "lost"})

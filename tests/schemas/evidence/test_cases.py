"""Labelled cases: what a case must hold, and what its package may not claim about it."""

import pytest
from pydantic import ValidationError

from schemas.evidence.cases import AuditCase, Origin
from tests.making.wire import refusal

NOW = "2030-01-02T00:00:00Z"
CASE = {"id": "c1", "task_id": "t1", "response": "4", "label": "correct"}


@pytest.mark.parametrize("said", [{"response": ""}, {"messages": []}, {"state": {}}, {"files": {}}])
def test_an_empty_answer_is_an_answer(said):
    case = AuditCase.model_validate({"id": "c1", "task": {}, "label": "incorrect", **said})
    assert case.label == "incorrect"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"response": None}, "needs response"),
        ({"task_id": None}, "needs task or task_id"),
        ({"id": ""}, "id"),
        ({"id": "x" * 201}, "id"),
        ({"label": "yes"}, "label"),
        ({"expect": {"a": "high"}}, "expect"),
        ({"files": {"a": 1}}, "files"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_a_case_that_cannot_be_run_is_refused(change, words):
    with pytest.raises(ValidationError, match=words):
        AuditCase.model_validate(CASE | change)


def test_what_only_a_hub_may_claim_is_taken_from_a_packages_own_case() -> None:
    claimed = AuditCase.model_validate(CASE | {"origin": "suite", "first_look": True, "tags": ["x"], "cluster": "form"})
    own = claimed.as_authors
    assert (own.origin, own.first_look, own.origin.is_independent) == (Origin.AUTHOR, False, False)
    assert own == claimed.model_copy(update={"origin": Origin.AUTHOR, "first_look": False}), "all else stays"


@pytest.mark.parametrize("origin", list(Origin))
def test_a_package_cannot_claim_an_origin(origin: Origin) -> None:
    case = AuditCase.model_validate(CASE | {"origin": origin, "first_look": True})
    assert case.as_authors.origin is Origin.AUTHOR
    assert case.as_authors.first_look is False
    assert case.as_authors.as_authors == case.as_authors


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_an_expected_reward_is_a_finite_number(number: str) -> None:
    text = f'{{"id": "c1", "task_id": "t", "response": "4", "label": "correct", "expect": {{"right": {number}}}}}'
    with pytest.raises(ValidationError):
        AuditCase.model_validate_json(text)


def test_a_cluster_has_a_short_name() -> None:
    assert AuditCase.model_validate(CASE | {"cluster": "x" * 200}).cluster
    assert "cluster" in refusal(AuditCase, CASE | {"cluster": "x" * 201})

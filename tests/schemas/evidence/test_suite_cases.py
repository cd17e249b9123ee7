"""A suite's case is judged as the verifier wants it; its own words about rewards and evidence are left out."""

import pytest

from schemas.evidence.cases import AuditCase
from schemas.evidence.suite_cases import as_judged
from schemas.suite import SuiteAdapter

CASE = AuditCase(
    id="c1", task={"id": "t", "prompt": "2 + 2?", "answer": 4}, response="four: 4", label="correct",
    expect={"correct": 1.0}, tags=["plain"], cluster="sums",
)  # fmt: skip


@pytest.mark.parametrize(
    ("place", "task"),
    [
        ("answer", {"id": "t", "prompt": "2 + 2?", "answer": 4}),
        ("info.gold", {"id": "t", "prompt": "2 + 2?", "info": {"gold": 4}}),
    ],
)
def test_answer_and_response_come_in_the_verifiers_form(place: str, task: dict[str, object]) -> None:
    found = as_judged(CASE, SuiteAdapter(answer=place, response="<a>{response}</a>"), "al/numbers")
    assert found.task == task
    assert found.response == "<a>four: 4</a>"
    assert (found.id, found.tags, found.expect) == ("al/numbers:c1", ["suite:al/numbers", "al/numbers:plain"], None)
    assert (found.label, found.cluster, found.origin) == (CASE.label, CASE.cluster, CASE.origin)


def test_a_case_without_a_response_or_an_answer_stays_without() -> None:
    bare = CASE.model_copy(update={"response": None, "state": {"moves": []}, "task": {"id": "t"}})
    found = as_judged(bare, SuiteAdapter(answer="info.gold", response="<a>{response}</a>"), "al/numbers")
    assert (found.task, found.response, found.state) == ({"id": "t"}, None, {"moves": []})


def test_a_long_id_is_cut_to_what_a_case_may_have() -> None:
    assert len(as_judged(CASE.model_copy(update={"id": "c" * 200}), SuiteAdapter(), "al/numbers").id) == 200

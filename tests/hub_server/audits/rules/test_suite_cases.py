"""How a suite's case becomes one of a verifier's."""

from hub_server.audits.rules import suite_cases
from schemas.audit import AuditCase, Origin
from schemas.suite import SuiteAdapter

CASE = AuditCase(
    id="c1", task={"id": "t", "prompt": "2 + 2?", "answer": 4, "info": {"level": 1}}, response="four: 4", label="correct",
    expect={"correct": 1.0}, tags=["plain"],
)  # fmt: skip


def adapted(adapter: SuiteAdapter) -> AuditCase:
    return suite_cases.adapted(CASE, adapter, suite="al/numbers", first_look=True, origin=Origin.SUITE)


def test_by_default_a_case_stays_as_it_is_and_says_where_it_comes_from():
    found = adapted(SuiteAdapter())
    assert (found.task, found.response, found.label) == (CASE.task, CASE.response, CASE.label)
    assert (found.id, found.origin, found.first_look) == ("al/numbers:c1", Origin.SUITE, True)
    assert found.expect is None, "a suite does not know the verifier's rewards"
    assert "suite:al/numbers" in found.tags


def test_an_adapter_moves_the_answer_and_puts_the_response_into_its_form():
    found = adapted(SuiteAdapter(answer="info.gold", response="<answer>{response}</answer>"))
    assert found.task == {"id": "t", "prompt": "2 + 2?", "info": {"level": 1, "gold": 4}}
    assert found.response == "<answer>four: 4</answer>"

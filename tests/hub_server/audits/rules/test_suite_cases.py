"""How a suite's case becomes one of a verifier's."""

from typing import Any

import pytest

from hub_server.audits.rules import suite_cases
from schemas.evidence.cases import AuditCase, Origin
from schemas.suite import SuiteAdapter

CASE = AuditCase(
    id="c1", task={"id": "t", "prompt": "2 + 2?", "answer": 4, "info": {"level": 1}}, response="four: 4", label="correct",
    expect={"correct": 1.0}, tags=["plain"],
)  # fmt: skip


def adapted(adapter: SuiteAdapter) -> AuditCase:
    return suite_cases.adapted(CASE, adapter, suite="al/numbers", behind="al", first_look=True, origin=Origin.SUITE)


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


@pytest.mark.parametrize(
    "part",
    [
        {"task": {"answer": 1, "info": "no mapping"}},
        {"task": {"answer": float("nan")}},
        {"task": {"answer": "\ud800"}},
        {"task": {"answer": 1, "prompt": 7}},
        {"response": "x" * 200_001},
    ],
    ids=["info", "nan", "surrogate", "prompt", "huge"],
)
@pytest.mark.parametrize("adapter", [SuiteAdapter(), SuiteAdapter(answer="info.gold")], ids=["plain", "gold"])
def test_a_case_that_is_not_sound_is_refused(part: dict[str, Any], adapter: SuiteAdapter):
    """It ended the audit of whoever was measured on it, by an error far from the suite."""
    with pytest.raises(ValueError, match="case 'c1'"):
        suite_cases.adapted(
            CASE.model_copy(update=part), adapter, suite="a/b", behind="a", first_look=True, origin=Origin.HELD
        )


def test_a_case_that_is_not_sound_is_left_out_and_logged_and_the_others_stay(caplog: pytest.LogCaptureFixture) -> None:
    def adapt(case: AuditCase) -> AuditCase:
        if case.id == "c1":
            raise ValueError("case 'c1': no sound case")
        return case

    other = CASE.model_copy(update={"id": "c2"})
    assert suite_cases.adapt_all([CASE, other], adapt, "al/numbers") == [other]
    assert "al/numbers: case 'c1': no sound case" in caplog.text

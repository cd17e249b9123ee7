"""The cases made here: their labels hold by the rule, and ids and clusters are what the intervals rest on."""

import json

import pytest

from schemas.evidence.cases import Label
from scripts.field_study.cases import EXCLUDED, FAMILIES, HARD_EXCLUDED, MATH_VERIFY, cases_of

OUT = {f"hardverify-{number}" for number in (135, 140, 150, 156, 201, 237, 174, 215, 217)}
"""Tasks whose reference is rounded, holds HTML or is damaged."""


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_family_has_cases_of_both_labels_with_their_sources(family: str) -> None:
    cases = cases_of(family)
    assert len({case.id for case in cases}) == len(cases)
    assert {case.label for case in cases} == {Label.CORRECT, Label.INCORRECT}
    assert all(case.source and case.licence for case in cases)


def test_a_right_text_names_the_answer_and_a_wrong_one_is_not_it() -> None:
    for case in cases_of("text"):
        answer, response = case.task["answer"], case.response
        if case.label is Label.CORRECT:
            assert answer.lower() in response.lower()
        else:
            assert response.strip(' ."*') != answer


def test_a_near_spelling_and_a_first_name_are_those_of_somebody_else_too() -> None:
    near = [case for case in cases_of("text") if case.tags == ["near-spelling"]]
    part = [case for case in cases_of("text") if case.tags == ["part"]]
    assert near
    assert part
    assert [case.id for case in near if f"{case.response} is" not in case.task["prompt"]] == []
    assert [case.id for case in part if case.task["prompt"].count(f"{case.response} ") < 3] == []


def test_a_record_is_right_exactly_where_the_json_values_are_equal() -> None:
    for case in cases_of("json"):
        text = case.response.replace("```json", "").replace("```", "").replace("Here is the record:", "")
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        same = json.dumps(value, sort_keys=True) == json.dumps(case.task["info"]["record"], sort_keys=True)
        assert same == (case.label is Label.CORRECT), case.id


def test_no_grader_is_asked_what_another_grader_s_authors_chose_or_exclude() -> None:
    cases = cases_of("mathematics")
    assert MATH_VERIFY not in {case.source for case in cases}
    assert all(EXCLUDED not in case.tags for case in cases)


def test_hard_references_are_formulas_and_the_damaged_rows_are_out() -> None:
    cases = cases_of("mathematics-hard")
    assert not {case.task["id"] for case in cases} & (OUT | {HARD_EXCLUDED})
    assert not [case.id for case in cases if "triangle" in case.task["answer"] or "token" in case.task["answer"]]
    assert not [case.id for case in cases if "congruent to" in case.response or "Maximum" in case.response]
    assert {"hardverify-0", "hardverify-101"} <= {case.task["id"] for case in cases}

"""Which cases a verifier is asked: the rule is the same for right and wrong answers."""

import re
from dataclasses import replace

import pytest

from sandbox.audit.cases import cases_digest
from schemas.evidence.cases import Label
from scripts.field_study import records
from scripts.field_study.__main__ import PAGE
from scripts.field_study.cases import cases_of
from scripts.field_study.measurement import asked_cases, is_of_these_cases
from scripts.field_study.records import short_digest
from scripts.field_study.subjects import Package, Verifier, load_subjects

TOY = Verifier("toy/tag", Package("toy", "1.0", "MIT"), "tag()", "toy:tag", ("text",), wants="<answer>")


@pytest.mark.parametrize("one", load_subjects(), ids=lambda one: one.name)
def test_every_asked_case_of_either_label_is_in_the_form_that_the_documents_demand(one: Verifier) -> None:
    for family in one.families:
        asked, _ = asked_cases(one, family)
        assert {case.label for case in asked} == {Label.CORRECT, Label.INCORRECT}
        assert [case.id for case in asked if not re.search(one.wants, case.response or "")] == []
        assert [case.id for case in asked if set(case.tags) & set(one.not_forms)] == []


def test_what_is_not_asked_is_counted_for_each_label() -> None:
    asked, left_out = asked_cases(TOY, "text")
    tagged = [case for case in cases_of("text") if "<answer>" in case.response]
    assert asked == tagged
    assert left_out == {Label.CORRECT: 110, Label.INCORRECT: 130}


def test_a_form_that_is_not_claimed_is_not_asked() -> None:
    asked, left_out = asked_cases(replace(TOY, wants="", not_forms=("capitals",)), "text")
    assert all("capitals" not in case.tags for case in asked)
    assert left_out == {Label.CORRECT: 10, Label.INCORRECT: 0}


def test_a_record_is_of_the_cases_that_are_asked_now_or_the_page_says_that_it_is_not() -> None:
    """A record measured before a change of the cases or the form would blame for what is not asked any more."""
    known, text = {one.name: one for one in load_subjects()}, PAGE.read_text(encoding="utf-8")
    notes = [line for line in text.splitlines() if line.startswith("Measured on these cases before")]
    old = [one for one in records.read() if not is_of_these_cases(one, known[one["verifier"]])]
    assert sum(line.count("`") // 2 for line in notes) == len(old)
    for record in records.read():
        if record in old:
            continue
        asked, left_out = asked_cases(known[record["verifier"]], record["family"])
        counted = {label: sum(case.label is label for case in asked) for label in Label}
        where = (record["verifier"], record["family"])
        assert record["left_out_right"] == left_out[Label.CORRECT], where
        assert record["left_out_wrong"] == left_out[Label.INCORRECT], where
        assert record["right"] <= counted[Label.CORRECT], where
        assert record["wrong"] <= counted[Label.INCORRECT], where


def test_a_record_of_other_cases_is_told_from_one_of_these() -> None:
    record = {"family": "text", "suite": short_digest(cases_digest(asked_cases(TOY, "text")[0]))}
    assert is_of_these_cases(record, TOY)
    assert not is_of_these_cases(record, replace(TOY, wants=""))

"""Defects that others reported: each has a public reference, a case and a rule, and only those that stand are counted."""

import re

from scripts.field_study import reported
from scripts.field_study.findings import Defect
from scripts.field_study.recall import Known, is_found
from scripts.field_study.reported import load_reported, read, reports_of, right_answers, standing, write
from scripts.field_study.subjects import load_subjects

SUBJECTS = load_subjects()


def test_every_report_names_a_public_issue_a_known_verifier_and_a_case() -> None:
    found = load_reported()
    assert len({one.defect.name for one in found}) == len(found) >= 30
    assert [one.source for one in found if not re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", one.source)] == []
    assert {one.dataset for one in found} <= {one.name for one in SUBJECTS}
    assert {one.defect.label for one in found} == {"correct", "incorrect"}


def test_what_a_verifier_judges_rightly_is_not_counted() -> None:
    [one, other, *_] = [one for one in load_reported() if one.defect.label == "incorrect"]
    returned = {
        one.defect.name: {"score": 1.0, "error": "", "version": "1"},
        other.defect.name: {"score": 0.0, "error": "", "version": "1"},
    }
    assert standing([one, other], SUBJECTS, returned) == [one]


def test_an_audit_is_given_right_answers_alone_one_of_a_form() -> None:
    verifier = next(one for one in SUBJECTS if one.name == "lm-eval/gsm8k-flexible")
    cases = right_answers(verifier)
    assert 0 < len(cases) <= reported.TASKS
    assert {str(case.label) for case in cases} == {"correct"}
    assert len({case.cluster or case.id for case in cases}) == len(cases)


def test_a_way_of_being_accepted_finds_no_wrong_rejection() -> None:
    """Text after an answer was accepted 12 of 12 times: that shows nothing of an answer that it makes lost."""
    reports = {"a/b": {"families": {}, "ways": {"junk_after": [12, 12, 0]}}}
    for label, expected in (("incorrect", True), ("correct", False)):
        defect = Defect("x", "a/b", "t", {}, "r", label, "s")
        assert is_found(Known(defect, "a/b", ("junk_after",), "o/r#1"), reports) is expected


def test_a_right_answer_in_another_form_finds_a_wrong_rejection_where_it_is_refused() -> None:
    for accepted, label, expected in ((0, "correct", True), (12, "correct", False), (0, "incorrect", False)):
        reports = {"a/b": {"families": {}, "ways": {"form_nought": [accepted, 12, 0]}}}
        defect = Defect("x", "a/b", "t", {}, "r", label, "s")
        assert is_found(Known(defect, "a/b", ("form_nought",), "o/r#1"), reports) is expected


def test_what_was_measured_is_kept_a_line_each_and_scorers_have_their_first_report(tmp_path) -> None:
    place = tmp_path / "reported.json"
    assert read(place) == {"returned": {}, "reports": {}}
    found = {"returned": {"x": {"score": 1.0}}, "reports": {"a/b": {"right": 3}}}
    write(found, place)
    assert read(place) == found
    assert "a/b" in reports_of(found)
    assert any(name.startswith("reasoning-gym/") for name in reports_of(found))

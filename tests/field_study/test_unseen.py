"""The third list: each defect is there, is the only difference to its mended twin, and was reported by somebody."""

import re

import pytest

from scripts.field_study.unseen import LIST
from scripts.field_study.unseen.measure import differing, measured, read

BY_NAME = {one.name: one for one in LIST}


def test_every_defect_has_a_public_report_and_a_name_of_its_own() -> None:
    assert len(BY_NAME) == len(LIST) == 30
    assert [one.source for one in LIST if not re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", one.source)] == []


@pytest.mark.parametrize("name", BY_NAME)
def test_the_defect_errs_on_its_case_the_mended_does_not_and_both_take_every_right_answer(name: str) -> None:
    one = BY_NAME[name]
    expected = float(one.shown.label == "correct")
    assert one.mended(one.shown.task, one.shown.response) == expected
    assert one.verify(one.shown.task, one.shown.response) == 1 - expected
    assert len(one.right) >= 7
    few = one.right[:3] if name in ("verl-quiet-error", "harbor-planted") else one.right  # each starts a process
    assert [said for task, said in few if (one.verify(task, said), one.mended(task, said)) != (1.0, 1.0)] == []


@pytest.mark.parametrize("name", ["submitty-sign", "inspect-dont-know", "lm-eval-article", "cogneva-names"])
def test_what_is_kept_is_what_an_audit_finds(name: str) -> None:
    assert measured(BY_NAME[name]) == read()[name]["after"]


def test_a_family_of_the_other_side_and_a_small_difference_find_nothing() -> None:
    without = {"families": {"leak_sign": [0, 0, 9], "benign_spacing": [0, 0, 9]}, "ways": {"hedge": [0, 9, 0]}}
    with_it = {"families": {"leak_sign": [1, 0, 9], "benign_spacing": [9, 0, 9]}, "ways": {"hedge": [2, 9, 0]}}
    assert differing("incorrect", with_it, without) == (["leak_sign"], [])
    assert differing("correct", with_it, without) == (["benign_spacing"], [])

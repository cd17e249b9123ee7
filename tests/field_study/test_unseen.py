"""The third list: each defect is there, is the only difference to its mended twin, and was reported by somebody."""

import re

import pytest

from scripts.field_study.unseen import LIST, fifth, fourth, seventh, sixth
from scripts.field_study.unseen.defect import Unseen
from scripts.field_study.unseen.measure import (
    KEPT_FIFTH,
    KEPT_FOURTH,
    KEPT_SEVENTH,
    KEPT_SIXTH,
    differing,
    measured,
    read,
)

EVERY = (*LIST, *fourth.LIST, *fifth.LIST, *sixth.LIST, *seventh.LIST)
BY_NAME = {one.name: one for one in EVERY}
PROCESSES = ("verl-quiet-error", "harbor-planted", "apps-sets", "codejudge-newline", "swebench-log", "swe-pro-any",
             "lcb-tuple", "olmo-no-tests", "openenv-marker", "swe-smith-few")  # fmt: skip
"""Each verdict of these starts a process."""


def test_every_defect_has_a_public_report_and_a_name_of_its_own() -> None:
    assert (len(LIST), len(fourth.LIST), len(fifth.LIST), len(sixth.LIST), len(seventh.LIST)) == (30, 30, 10, 10, 10)
    assert len(BY_NAME) == len(EVERY)
    assert [one.source for one in EVERY if not re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", one.source)] == []
    assert read(KEPT_FOURTH).keys() == {one.name for one in fourth.LIST}
    assert read(KEPT_FIFTH).keys() == {one.name for one in fifth.LIST}
    assert read(KEPT_SIXTH).keys() == {one.name for one in sixth.LIST}
    assert read(KEPT_SEVENTH).keys() == {one.name for one in seventh.LIST}


@pytest.mark.parametrize("name", BY_NAME)
def test_the_defect_errs_on_its_case_the_mended_does_not_and_both_take_every_right_answer(name: str) -> None:
    one = BY_NAME[name]
    expected = float(one.shown.label == "correct")
    assert one.mended(one.shown.task, one.shown.response) == expected
    assert errs(one) == 1 - expected
    assert len(one.right) >= 7
    few = one.right[:2] if name in PROCESSES else one.right
    assert [said for task, said in few if (one.verify(task, said), one.mended(task, said)) != (1.0, 1.0)] == []


def errs(one: Unseen) -> float:
    """The reward on its case; one that raises gives none, which is not what a wrong answer should get."""
    try:
        return one.verify(one.shown.task, one.shown.response)
    except TypeError:
        assert one.name == "autoevals-raise"
        return 1.0


@pytest.mark.parametrize("name", ["nemo-boxed-text", "evals-null", "nmos-true"])
def test_what_is_kept_of_the_fourth_list_is_what_an_audit_finds(name: str) -> None:
    assert measured(BY_NAME[name]) == read(KEPT_FOURTH)[name]["after"]


@pytest.mark.parametrize(
    ("name", "place"),
    [("deepeval-composed", KEPT_SIXTH), ("xllama-parts", KEPT_SIXTH), ("openrlhf-fbox", KEPT_SEVENTH)],
)
def test_what_is_kept_of_the_later_lists_is_what_an_audit_finds(name, place) -> None:
    assert measured(BY_NAME[name]) == read(place)[name]["after"]


@pytest.mark.parametrize("name", ["submitty-sign", "inspect-dont-know", "lm-eval-article", "cogneva-names"])
def test_what_is_kept_is_what_an_audit_finds(name: str) -> None:
    assert measured(BY_NAME[name]) == read()[name]["after"]


def test_a_family_of_the_other_side_and_a_small_difference_find_nothing() -> None:
    without = {"families": {"leak_sign": [0, 0, 9], "benign_spacing": [0, 0, 9]}, "ways": {"hedge": [0, 9, 0]}}
    with_it = {"families": {"leak_sign": [1, 0, 9], "benign_spacing": [9, 0, 9]}, "ways": {"hedge": [2, 9, 0]}}
    assert differing("incorrect", with_it, without) == (["leak_sign"], [])
    assert differing("correct", with_it, without) == (["benign_spacing"], [])
